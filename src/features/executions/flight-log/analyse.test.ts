import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { atEndOfFile } from "../../../testing/clean-up";
import { DataFlashLog } from "../../../testing/flight-logs";
import { analyseFlightLog } from "./index";

const folder = mkdtempSync(join(tmpdir(), "flight-log-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

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

test("a stream and a file of the same log are read to the same result", async () => {
  const path = join(folder, "flight.bin");
  writeFileSync(path, log);
  const fromFile = await analyseFlightLog(path, { name: "flight.bin" });
  const pieces = Array.from({ length: 200 }, (_, at) => log.subarray(at * 1_000, (at + 1) * 1_000));
  const fromStream = await analyseFlightLog(Readable.from(pieces), { name: "flight.bin" });
  expect(fromFile).toMatchObject({ status: "complete", stats: { messages: 5_002, duration_seconds: 4_999 } });
  expect(fromStream).toEqual(fromFile);
});

test("a foreign file is refused without being read to its end", async () => {
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

test("a source that fails is a fault, and no finding about the log", async () => {
  async function* broken() {
    yield log;
    throw new Error("The store hung up.");
  }
  const found = analyseFlightLog(Readable.from(broken()), { name: "flight.bin" });
  await expect(found).rejects.toThrow("The store hung up.");
  await expect(analyseFlightLog(join(folder, "none.bin"), { name: "none.bin" })).rejects.toThrow("ENOENT");
});

test("logs are read one after another and side by side, each by itself", async () => {
  const read = (bytes: Buffer) => analyseFlightLog(Readable.from([bytes]), { name: "flight.bin" });
  const half = log.subarray(0, 178 + 31 * 2_500);
  const first = await read(log);
  const second = await read(half);
  expect(second).toMatchObject({ status: "complete", stats: { messages: 2_502, duration_seconds: 2_499 } });
  expect(await Promise.all([read(half), read(log), read(half)])).toEqual([second, first, second]);
});
