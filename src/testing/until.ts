import { eventually as shipped } from "../platform/eventually";
import { retry } from "../platform/retry";

/**
 * Repeats `attempt` until it neither throws nor resolves with false; rejects with the last error after the limit. An
 * attempt that starts programs needs a longer `everyMs`. The limit must be long enough for a busy machine.
 */
export const until = <T>(
  attempt: () => Promise<T> | T,
  limitMs = 30_000,
  everyMs = 20,
): Promise<Exclude<T, false>> =>
  retry(
    async () => {
      const value = await attempt();
      if (value === false) throw new Error(`Not so within ${limitMs} ms.`);
      return value as Exclude<T, false>;
    },
    { firstMs: everyMs, limitMs },
  );

/** Waits until it holds; rejects with `what` after the limit, and at once with an error of `holds`. */
export const eventually = (what: string, holds: () => boolean | Promise<boolean>, limitMs = 30_000) =>
  shipped(what, holds, { limitMs, everyMs: 20 });
