import { setTimeout as delay } from "node:timers/promises";

const limitMs = 60_000;
const pauseMs = 500;

/** Ask until there is an answer. Rejects after a minute, saying what it was that did not come. */
export async function eventually<Found>(
  what: string,
  ask: () => Promise<Found | undefined | null | false>,
): Promise<Found> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${limitMs / 1000} s.`);
    await delay(pauseMs);
  }
}
