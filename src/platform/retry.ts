import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds to wait after so many failures in a row: `firstMs` after the first, doubling up to `maxMs`. */
export const backoffMs = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));

/**
 * Longest time that a setup command waits for a server that starts beside it. Kubernetes starts the command again after
 * it.
 */
export const SETUP_WAIT_SECONDS = 120;

interface RetryOptions {
  /** Pause after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  /** Longest pause; `firstMs` when absent, so that all pauses are equal. */
  readonly maxMs?: number;
  /** From the first attempt. No attempt begins later; the last one may end later. */
  readonly limitMs: number;
  /** Ends the pauses. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a further attempt can help; always when absent. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** Repeat what is safe to repeat until it succeeds. Rejects with the last attempt's error. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { firstMs, maxMs = firstMs, limitMs, signal, isTransient } = options;
  const deadline = performance.now() + limitMs;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (isTransient?.(error) === false || signal?.aborted || performance.now() > deadline) throw error;
      await delay(backoffMs(failures, firstMs, maxMs), undefined, { signal }).catch(() => undefined);
    }
  }
}
