import { setTimeout as delay } from "node:timers/promises";

/** Repeats until there is a value. Rejects after the limit with an error that names what is missing. */
export async function eventually<Found>(
  what: string,
  ask: () => Promise<Found | undefined | null | false> | Found | undefined | null | false,
  { limitMs = 60_000, everyMs = 500 } = {},
): Promise<Found> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${limitMs / 1000} s.`);
    await delay(everyMs);
  }
}
