import { setTimeout as delay } from "node:timers/promises";

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
