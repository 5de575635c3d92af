import { DataFlashLog } from "../../../../testing/flight-logs";
import { seeded } from "../../../../testing/mavlink-stream";
import type { MessageFormat } from "./format";
import { DataFlashReader, type OnMessage } from "./reader";

function read(bytes: Buffer, onFormat: (format: MessageFormat) => OnMessage | undefined): DataFlashReader {
  const reader = new DataFlashReader(onFormat);
  expect(reader.read(bytes, bytes.length)).toBe(bytes.length);
  return reader;
}

/** Of one of each type of number. */
const BYTES = 60;

test("a number read for the statistics is the value in full, whatever its type", () => {
  const log = new DataFlashLog()
    .declare(1, "ALL", "bBhHiIfdgcCeELqQ", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p")
    .declare(2, "TEXT", "QnNZa", "TimeUS,a,b,c,d");
  const random = seeded(7);
  for (let round = 0; round < 200; round++) {
    const bytes = Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256)));
    log.raw(Buffer.from([0xa3, 0x95, 1]), bytes.subarray(0, BYTES));
  }
  log.write("TEXT", 5, "abcd", "name", "words", 1);
  let compared = 0;
  read(log.bytes, (format) => {
    const names = format.fields.map(({ name }) => name);
    const numbers = format.numbers(names);
    return (view, at) => {
      const read = numbers.read(view, at);
      for (const [place, value] of [...format.values(view, at).values()].entries()) {
        const isNumber = typeof value === "number" || typeof value === "bigint";
        expect(read[place]).toBe(isNumber ? Number(value) : Number.NaN);
        compared++;
      }
    };
  });
  expect(compared).toBeGreaterThan(200 * 16);
});

test("of several names the first that a format has is read, and a name that it lacks is no number", () => {
  const log = new DataFlashLog().declare(1, "BAT", "QBf", "TimeUS,Inst,Volt").write("BAT", 9, 3, 12.5);
  const seen: number[][] = [];
  read(log.bytes, (format) => {
    if (format.name !== "BAT") return undefined;
    expect(format.hasNumber("I|Inst")).toBe(true);
    expect(format.hasNumber("I")).toBe(false);
    const numbers = format.numbers(["I|Instance|Inst", "Curr", "Volt"]);
    return (view, at) => seen.push([...numbers.read(view, at)]);
  });
  expect(seen).toEqual([[3, Number.NaN, 12.5]]);
});

test("a type that is declared anew goes by the old declaration until then, in the log's order", () => {
  const log = new DataFlashLog().declare(1, "OLD", "B", "a").declare(2, "ALSO", "B", "a");
  log.write("OLD", 1).write("ALSO", 2).write("OLD", 3);
  log.declare(1, "NEW", "H", "a").write("NEW", 400).write("ALSO", 5);
  const seen: string[] = [];
  const reader = read(log.bytes, (format) => {
    if (format.name === "FMT") return undefined;
    const numbers = format.numbers(["a"]);
    return (view, at) => seen.push(`${format.name} ${numbers.read(view, at)[0]}`);
  });
  expect(seen).toEqual(["OLD 1", "ALSO 2", "OLD 3", "NEW 400", "ALSO 5"]);
  expect(reader.counters).toEqual({ messages: 9, damagedBytes: 0 });
});

test("more wanted messages than are noted at once are all handed over, in order", () => {
  const log = new DataFlashLog().declare(1, "NUM", "I", "a");
  for (let n = 0; n < 10_000; n++) log.write("NUM", n);
  const seen: number[] = [];
  read(log.bytes, (format) => {
    if (format.name !== "NUM") return undefined;
    const numbers = format.numbers(["a"]);
    return (view, at) => seen.push(numbers.read(view, at)[0] as number);
  });
  expect(seen).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
});
