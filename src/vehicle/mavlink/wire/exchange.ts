import { setImmediate as whatCameIsRead } from "node:timers/promises";
import type { Channel } from "./channel";

/** How long to wait for an answer, and how often to ask. */
export interface Patience {
  readonly timeoutMs: number;
  readonly attempts: number;
}

export interface Conversation<T> {
  done(value: T): void;
  fail(error: unknown): void;
  /** The other side is alive: wait anew, with all attempts again. */
  progressed(): void;
  /** The other side asked for time: be silent for so long before the next attempt. */
  beSilentFor(ms: number): void;
}

/**
 * Says something until it is answered. `listen` subscribes to what may answer and returns the functions that
 * stop it; `say` is called for each attempt, numbered from 0, but the later ones only when `mayRepeat` then says so;
 * `expired` tells what silence means: an error to throw or a value that is good enough.
 *
 * Rejects with `vehicle_unreachable` when the channel closes meanwhile, or with what `cut` makes of that. Nothing is
 * left behind either way.
 */
export function converse<T>(
  channel: Channel,
  patience: Patience,
  {
    listen,
    say,
    expired,
    mayRepeat = async () => true,
    cut = (gone) => gone,
  }: {
    listen: (conversation: Conversation<T>) => (() => void)[];
    say: (attempt: number) => void;
    expired: () => T | Error;
    mayRepeat?: () => Promise<boolean>;
    cut?: (gone: unknown) => unknown;
  },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let attempt = 0;
    let settled = false;
    const closed = channel.untilClosed();
    let stops: (() => void)[] = [];

    const settle = (act: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      closed.release();
      for (const stop of stops) stop();
      act();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const wait = (ms: number) => {
      clearTimeout(timer);
      if (!settled) timer = setTimeout(() => void tick().catch(fail), ms);
    };
    const speak = () => {
      try {
        say(attempt);
      } catch (error) {
        fail(error);
      }
    };
    const tick = async () => {
      const due = timer;
      attempt += 1;
      const isLast = attempt >= patience.attempts;
      const repeats = !isLast && (await mayRepeat());
      // A process that was stopped finds its timers due before it has read the answer.
      await whatCameIsRead();
      // Answered, or asked for time, meanwhile.
      if (settled || timer !== due) return;
      if (!isLast) {
        if (repeats) speak();
        wait(patience.timeoutMs);
        return;
      }
      const outcome = expired();
      if (outcome instanceof Error) fail(outcome);
      else settle(() => resolve(outcome));
    };

    closed.promise.catch((gone: unknown) => fail(cut(gone)));
    stops = listen({
      done: (value) => settle(() => resolve(value)),
      fail,
      progressed: () => {
        attempt = 0;
        wait(patience.timeoutMs);
      },
      beSilentFor: wait,
    });
    speak();
    wait(patience.timeoutMs);
  });
}

/** Lets one task run at a time per key, in the order they came. */
export class Turns<Key> {
  private readonly last = new Map<Key, Promise<unknown>>();

  async take<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(task, task);
    const settled = mine.catch(() => {});
    this.last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}
