import { DataFlashReader, neededNumbers, readLogFile } from "../../src/flight-log";

/** The time, and which instance. What a message does not have is not a number. */
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
 * Reads from a log every number that the flight's figures need, with the analysis' own reader, and counts nothing
 * together but a checksum: the decoding alone.
 */
export function decodeNeeded(path: string): { messages: number; checksum: number } {
  const sum = new Float64Array(1);
  const reader = new DataFlashReader((format) => {
    const needed = neededNumbers(format);
    return needed && format.onNumbers(needed, { subject: sum, isWanted: addFirst, take: addRest });
  });
  let rest = Buffer.alloc(0);
  readLogFile(path, ({ bytes, room }, count) => {
    const begin = room.byteOffset - bytes.byteOffset;
    const from = begin - rest.copy(bytes, begin - rest.length);
    const part = bytes.subarray(from, begin + count);
    rest = Buffer.from(part.subarray(reader.read(part, part.length)));
    return true;
  });
  return { messages: reader.counters.messages, checksum: sum[0] as number };
}
