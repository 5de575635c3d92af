import { setTimeout as delay } from "node:timers/promises";

/**
 * Repeats `attempt` until it neither throws nor resolves with false; rejects with the last error after the limit. An
 * attempt that starts programs needs a longer `everyMs`. The limit must be long enough for a busy machine.
 */
export async function until<T>(
  attempt: () => Promise<T> | T,
  limitMs = 30_000,
  everyMs = 20,
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      const value = await attempt();
      if (value !== false) return value as Exclude<T, false>;
      if (Date.now() > deadline) throw new Error(`Not so within ${limitMs} ms.`);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(everyMs);
  }
}
