import { retry } from "../retry";
import { explainDatabaseError } from "./errors";

interface OutageLimit {
  /** From the first attempt; the last one may end later. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

/** Repeat what is safe to repeat while the database cannot be reached. Rejects at once with any other error. */
export const retryWhileUnavailable = <T>(write: () => Promise<T>, limit: OutageLimit): Promise<T> =>
  retry(write, {
    ...limit,
    firstMs: 200,
    maxMs: 2_000,
    isTransient: (error) => explainDatabaseError(error)?.code === "unavailable",
  });
