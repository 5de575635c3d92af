import { setTimeout as delay } from "node:timers/promises";

/**
 * Try until it no longer throws or resolves with false; rejects with the last fault after the limit. What takes programs
 * to look at is looked at more seldom. The limit is only met by a failure, and a busy machine must not meet it.
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
