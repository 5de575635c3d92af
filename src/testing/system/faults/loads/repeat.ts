import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../../../until";

export interface Repetition {
  /** Resolves when the last run has ended. */
  stop(): Promise<void>;
}

/** Repeats `once` sequentially, about every so many milliseconds. `once` must not reject. */
export function repeatEvery(milliseconds: number, once: () => Promise<unknown>): Repetition {
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      const startedAt = performance.now();
      await once();
      await delay(Math.max(20, milliseconds - (performance.now() - startedAt)));
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

/** Waits for what a load has begun, a minute at most: its result names what is missing then. */
export const finished = (what: string, holds: () => boolean): Promise<unknown> =>
  eventually(what, holds, 60_000).catch(() => undefined);
