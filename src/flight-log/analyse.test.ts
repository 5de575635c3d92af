import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Readable } from "node:stream";
import { DataFlashLog } from "../testing/flight-logs";
import { analyseFlightLog } from "./index";

function made(): Buffer {
  const written = new DataFlashLog().declare(
    4,
    "POS",
    "QLLfff",
    "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt",
  );
  for (let t = 1; t <= 5_000; t++) written.write("POS", t * 1e6, 47 + t * 1e-5, 8, 500, 10, 10);
  return written.bytes;
}
const log = made();
/** Bytes before the first position: the formats of two messages. */
const HEADS = 178;

test("a log that comes in pieces is read whole", async () => {
  const pieces = Array.from({ length: 200 }, (_, at) => log.subarray(at * 1_000, (at + 1) * 1_000));
  const found = await analyseFlightLog(Readable.from(pieces), { name: "flight.bin" });
  expect(found).toMatchObject({ status: "complete", stats: { messages: 5_002, duration_seconds: 4_999 } });
});

test("a file of another format is refused without being read to its end", async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      given++;
      yield Buffer.alloc(65_536);
    }
  }
  const found = await analyseFlightLog(Readable.from(endless()), { name: "holiday.mp4" });
  expect(found).toMatchObject({ status: "unreadable", reason: "foreign" });
  expect(given).toBeLessThan(1_000);
});

test("a source that fails rejects, and gives no result for the log", async () => {
  async function* broken() {
    yield log;
    throw new Error("The store hung up.");
  }
  const found = analyseFlightLog(Readable.from(broken()), { name: "flight.bin" });
  await expect(found).rejects.toThrow("The store hung up.");
});

test("logs are read one after another and at the same time without mixing", async () => {
  const read = (bytes: Buffer) => analyseFlightLog(Readable.from([bytes]), { name: "flight.bin" });
  const half = log.subarray(0, HEADS + 31 * 2_500);
  const first = await read(log);
  const second = await read(half);
  expect(second).toMatchObject({ status: "complete", stats: { messages: 2_502, duration_seconds: 2_499 } });
  expect(await Promise.all([read(half), read(log), read(half)])).toEqual([second, first, second]);
});

/** The same flight again and again, so many megabytes of it, as a store gives it. */
function* repeated(megabytes: number): Generator<Buffer> {
  const messages = log.subarray(HEADS);
  const piece = Buffer.concat(Array.from({ length: 8 }, () => messages));
  yield log.subarray(0, HEADS);
  for (let given = 0; given < megabytes * 2 ** 20; given += piece.length) yield piece;
}

test("two hundred megabytes are read in the memory of twenty, and do not block the event loop", async () => {
  const read = async (megabytes: number) => {
    let peak = 0;
    const delay = monitorEventLoopDelay({ resolution: 10 });
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    delay.enable();
    const begun = performance.now();
    const found = await analyseFlightLog(Readable.from(repeated(megabytes)), { name: "flight.bin" });
    const took = performance.now() - begun;
    delay.disable();
    clearInterval(timer);
    expect(found).toMatchObject({ status: "complete" });
    return { peak, took, longestStall: delay.max / 1e6 };
  };
  const small = await read(20);
  const large = await read(200);
  expect(large.peak / small.peak).toBeLessThan(1.35);
  expect(large.longestStall).toBeLessThan(large.took / 4);
}, 120_000);
