import { setTimeout as delay } from "node:timers/promises";
import { explainDatabaseError } from "./errors";

export interface Patience {
  /** From the first attempt; the last one may end later. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Repeats what is safe to repeat while the database cannot be reached. Rejects at once with anything else that
 * the database says, and with its last words when the patience is over.
 */
export async function untilReachable<T>(write: () => Promise<T>, { limitMs, signal }: Patience): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      const away = explainDatabaseError(error)?.code === "unavailable";
      if (!away || signal?.aborted || performance.now() > deadline) throw error;
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
