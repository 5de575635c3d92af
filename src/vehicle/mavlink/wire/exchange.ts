import { setImmediate as pendingReads } from "node:timers/promises";
import type { DomainError } from "../../../domain/errors";
import { type Channel, unreachable } from "./channel";
import type { MavLinkData } from "./messages";

/** How long to wait for an answer, and how often to send the request. */
export interface Retry {
  readonly timeoutMs: number;
  readonly attempts: number;
}

export interface Reply<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
  /** The transfer advances: wait anew, with all attempts again. */
  progress(): void;
  /** The vehicle asked for time: send nothing for so long. */
  pauseFor(ms: number): void;
}

export interface Exchange<T> {
  /** The messages of each attempt, numbered from 0. */
  readonly request: (attempt: number) => readonly MavLinkData[];
  /** Edits each encoded payload; see `FrameWriter.encode`. */
  readonly patch?: (payload: Buffer) => void;
  /** Subscribes to the messages that may answer; returns the functions that unsubscribe. */
  readonly listen: (reply: Reply<T>) => (() => void)[];
  /** The result, or the error, when the last attempt was not answered. `sent`: the link took at least one message. */
  readonly onTimeout: (sent: boolean) => T | Error;
  /** Asked before each attempt but the first. */
  readonly mayRepeat?: () => Promise<boolean>;
  /** The error when the link closes meanwhile. */
  readonly onClosed?: (closed: DomainError, sent: boolean) => Error;
}

/** Sends a request until it is answered. Rejects with `vehicle_unreachable`, or `onClosed`, when the link closes. */
export async function exchange<T>(
  channel: Channel,
  { timeoutMs, attempts }: Retry,
  { request, patch, listen, onTimeout, mayRepeat = always, onClosed = (closed) => closed }: Exchange<T>,
): Promise<T> {
  channel.assertOpen();
  let timer: NodeJS.Timeout | undefined;
  let attempt = 0;
  let sent = false;
  let settled = false;
  let unsubscribe: (() => void)[] = [];
  const settle = () => {
    settled = true;
    clearTimeout(timer);
    for (const stop of unsubscribe) stop();
  };
  const pauseFor = (ms: number) => {
    clearTimeout(timer);
    if (!settled) timer = setTimeout(() => void timedOut().catch(reply.reject), ms);
  };
  let reply!: Reply<T>;
  const answer = new Promise<T>((resolve, reject) => {
    reply = {
      resolve: (value) => {
        settle();
        resolve(value);
      },
      reject: (error) => {
        settle();
        reject(error);
      },
      progress: () => {
        attempt = 0;
        pauseFor(timeoutMs);
      },
      pauseFor,
    };
  });
  const timedOut = async () => {
    const due = timer;
    attempt += 1;
    const isLast = attempt >= attempts;
    const repeats = !isLast && (await mayRepeat());
    // A process that was stopped finds its timers due before it has read the answer.
    await pendingReads();
    // Answered, or asked for time, meanwhile.
    if (settled || timer !== due) return;
    if (isLast) {
      const result = onTimeout(sent);
      if (result instanceof Error) reply.reject(result);
      else reply.resolve(result);
      return;
    }
    if (repeats) for (const message of request(attempt)) sent = channel.send(message, patch) || sent;
    pauseFor(timeoutMs);
  };
  unsubscribe = [
    channel.onClose((reason) => reply.reject(onClosed(unreachable(reason), sent))),
    ...listen(reply),
  ];
  try {
    for (const message of request(attempt)) sent = channel.send(message, patch) || sent;
  } catch (error) {
    reply.reject(error);
  }
  pauseFor(timeoutMs);
  return answer;
}

const always = async () => true;
