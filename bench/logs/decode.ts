import { DataFlashReader, neededNumbers, readLogFile } from "../../src/features/executions/flight-log";

/**
 * Reads from a log every number that the flight's figures need, with the analysis' own reader,
 * and counts nothing together but a checksum: the decoding alone.
 */
export function decodeNeeded(path: string): { messages: number; checksum: number } {
  const checksum = new Float64Array(1);
  const reader = new DataFlashReader((format) => {
    const needed = neededNumbers(format);
    return (
      needed &&
      ((view, at) => {
        const values = needed.read(view, at);
        let sum = 0;
        // What a message does not have is not a number.
        for (let n = 0; n < values.length; n++) sum += values[n] || 0;
        checksum[0] = (checksum[0] as number) + sum;
      })
    );
  });
  let rest = Buffer.alloc(0);
  readLogFile(path, ({ bytes, room }, count) => {
    const begin = room.byteOffset - bytes.byteOffset;
    const from = begin - rest.copy(bytes, begin - rest.length);
    const part = bytes.subarray(from, begin + count);
    rest = Buffer.from(part.subarray(reader.read(part, part.length)));
    return true;
  });
  return { messages: reader.counters.messages, checksum: checksum[0] as number };
}
