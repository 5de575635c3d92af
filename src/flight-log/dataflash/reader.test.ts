import { seededRandom } from "../../testing/fakes/mavlink-stream";
import { DataFlashLog } from "../../testing/flight-logs";
import type { MessageFormat, OnMessage } from "./format";
import { DataFlashReader } from "./reader";

function read(bytes: Buffer, onFormat: (format: MessageFormat) => OnMessage | undefined): DataFlashReader {
  const reader = new DataFlashReader(onFormat);
  expect(reader.read(bytes, bytes.length)).toBe(bytes.length);
  return reader;
}

/** Hands on the numbers of these names, of every message. */
const numbersOf = (format: MessageFormat, names: string[], take: (...numbers: number[]) => void): OnMessage =>
  format.onNumbers(
    { first: [], rest: names },
    { subject: undefined, isWanted: () => true, take: (_, ...numbers) => take(...numbers) },
  );

/** Each type of number, in ArduPilot's words, beside Node's own way to read it. */
const NUMBERS: Readonly<Record<string, (bytes: Buffer, at: number) => number | bigint>> = {
  b: (bytes, at) => bytes.readInt8(at),
  B: (bytes, at) => bytes.readUInt8(at),
  M: (bytes, at) => bytes.readUInt8(at),
  h: (bytes, at) => bytes.readInt16LE(at),
  H: (bytes, at) => bytes.readUInt16LE(at),
  i: (bytes, at) => bytes.readInt32LE(at),
  I: (bytes, at) => bytes.readUInt32LE(at),
  f: (bytes, at) => bytes.readFloatLE(at),
  d: (bytes, at) => bytes.readDoubleLE(at),
  c: (bytes, at) => bytes.readInt16LE(at) / 100,
  C: (bytes, at) => bytes.readUInt16LE(at) / 100,
  e: (bytes, at) => bytes.readInt32LE(at) / 100,
  E: (bytes, at) => bytes.readUInt32LE(at) / 100,
  L: (bytes, at) => bytes.readInt32LE(at) / 1e7,
  q: (bytes, at) => bytes.readBigInt64LE(at),
  Q: (bytes, at) => bytes.readBigUInt64LE(at),
};

/** Bytes of one of each. */
const PAYLOAD = 59;

test("every type of number is read, in full and for the statistics", () => {
  const types = Object.keys(NUMBERS);
  const labels = types.map((_, at) => `n${at}`).join(",");
  const log = new DataFlashLog().declare(1, "ALL", types.join(""), labels);
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const payload = Array.from({ length: PAYLOAD }, () => Math.floor(random() * 256));
    log.raw(Buffer.from([0xa3, 0x95, 1]), Buffer.from(payload));
  }
  const { bytes } = log;
  let compared = 0;
  read(bytes, (format) => {
    if (format.name !== "ALL") return undefined;
    let numbers: number[] = [];
    const names = format.fields.map(({ name }) => name);
    const readNumbers = numbersOf(format, names, (...all) => {
      numbers = all;
    });
    return (view, at) => {
      readNumbers(view, at);
      const expected = format.fields.map(({ offset }, index) => NUMBERS[types[index]!]!(bytes, at + offset));
      expect([...format.values(view, at).values()]).toEqual(expected);
      expect(numbers).toEqual(expected.map(Number));
      compared++;
    };
  });
  expect(compared).toBe(200);
});

test("half-precision numbers are read: the smallest, the greatest, infinity and NaN", () => {
  const bits = [0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x8400, 0, 0x7c00, 0xfc00, 0x7e01];
  const log = new DataFlashLog().declare(1, "HALF", "g", "a");
  for (const half of bits) log.write("HALF", half);
  const seen: number[] = [];
  read(log.bytes, (format) => {
    if (format.name !== "HALF") return undefined;
    return numbersOf(format, ["a"], (number) => seen.push(number));
  });
  const ends = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
  expect(seen).toEqual([1, -2, 0.333251953125, 65_504, 2 ** -24, -(2 ** -14), 0, ...ends]);
});

test("texts and lists are not numbers for the statistics", () => {
  const log = new DataFlashLog().declare(2, "TEXT", "QnNZa", "TimeUS,a,b,c,d");
  log.write("TEXT", 5, "abcd", "name", "words", 1);
  const seen: number[][] = [];
  read(log.bytes, (format) => {
    if (format.name !== "TEXT") return undefined;
    return numbersOf(format, ["TimeUS", "a", "b", "c", "d"], (...numbers) => seen.push(numbers));
  });
  expect(seen).toEqual([[5, Number.NaN, Number.NaN, Number.NaN, Number.NaN]]);
});

test("the first of several names that a format has is read, and a missing one is NaN", () => {
  const log = new DataFlashLog().declare(1, "BAT", "QBf", "TimeUS,Inst,Volt").write("BAT", 9, 3, 12.5);
  const seen: number[][] = [];
  read(log.bytes, (format) => {
    if (format.name !== "BAT") return undefined;
    expect(format.hasNumber("I|Inst")).toBe(true);
    expect(format.hasNumber("I")).toBe(false);
    return numbersOf(format, ["I|Instance|Inst", "Curr", "Volt"], (...numbers) => seen.push(numbers));
  });
  expect(seen).toEqual([[3, Number.NaN, 12.5]]);
});

test("a message that is not wanted is not read further", () => {
  const log = new DataFlashLog().declare(1, "BAT", "BH", "Inst,Volt");
  for (let n = 0; n < 6; n++) log.write("BAT", n % 3, 1_200 + n);
  const asked: number[] = [];
  const taken: number[] = [];
  read(log.bytes, (format) => {
    if (format.name !== "BAT") return undefined;
    const isWanted = (from: number[], instance: number) => from.push(instance) > 0 && instance === 0;
    const take = (_: number[], volts: number) => taken.push(volts);
    return format.onNumbers({ first: ["Inst"], rest: ["Volt"] }, { subject: asked, isWanted, take });
  });
  expect(asked).toEqual([0, 1, 2, 0, 1, 2]);
  expect(taken).toEqual([1_200, 1_203]);
});

test("a second declaration of a type applies to the messages after it", () => {
  const log = new DataFlashLog().declare(1, "OLD", "B", "a").declare(2, "ALSO", "B", "a");
  log.write("OLD", 1).write("ALSO", 2).write("OLD", 3);
  log.declare(1, "NEW", "H", "a").write("NEW", 400).write("ALSO", 5);
  const seen: string[] = [];
  const reader = read(log.bytes, (format) => {
    if (format.name === "FMT") return undefined;
    return numbersOf(format, ["a"], (number) => seen.push(`${format.name} ${number}`));
  });
  expect(seen).toEqual(["OLD 1", "ALSO 2", "OLD 3", "NEW 400", "ALSO 5"]);
  expect(reader.counters).toEqual({ messages: 9, damagedBytes: 0 });
});

test("more wanted messages than one batch are all handed over, in order", () => {
  const log = new DataFlashLog().declare(1, "NUM", "I", "a");
  for (let n = 0; n < 10_000; n++) log.write("NUM", n);
  const seen: number[] = [];
  read(log.bytes, (format) => {
    if (format.name !== "NUM") return undefined;
    return numbersOf(format, ["a"], (number) => seen.push(number));
  });
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
});
