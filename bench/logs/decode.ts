import { closeSync, openSync, readSync } from "node:fs";
import { DataFlashReader, neededNumbers } from "../../src/flight-log";

const WINDOW = 1 << 20;

/** The time, and which instance. A value that a message lacks is NaN. */
function addFirst(sum: Float64Array, time: number, instance: number): boolean {
  sum[0] = (sum[0] as number) + time + (instance || 0);
  return true;
}

/** The others, of which no message has more than ten. Each by a name: a list of them would be made anew each time. */
function addRest(
  sum: Float64Array,
  a?: number,
  b?: number,
  c?: number,
  d?: number,
  e?: number,
  f?: number,
  g?: number,
  h?: number,
  i?: number,
  j?: number,
): void {
  const half = (a || 0) + (b || 0) + (c || 0) + (d || 0) + (e || 0);
  const rest = (f || 0) + (g || 0) + (h || 0) + (i || 0) + (j || 0);
  sum[0] = (sum[0] as number) + half + rest;
}

/**
 * Reads from a log every number that the flight's statistics need, with the reader of the analysis, and adds them to a
 * checksum: the decoding alone.
 */
export function decodeNeeded(path: string): { messages: number; checksum: number } {
  const sum = new Float64Array(1);
  const reader = new DataFlashReader((format) => {
    const needed = neededNumbers(format);
    return needed && format.onNumbers(needed, { subject: sum, isWanted: addFirst, take: addRest });
  });
  const file = openSync(path, "r");
  const window = Buffer.allocUnsafeSlow(WINDOW);
  let filled = 0;
  for (;;) {
    const bytes = readSync(file, window, filled, WINDOW - filled, null);
    if (bytes === 0) break;
    filled += bytes;
    const done = reader.read(window, filled);
    window.copyWithin(0, done, filled);
    filled -= done;
  }
  closeSync(file);
  return { messages: reader.counters.messages, checksum: sum[0] as number };
}
