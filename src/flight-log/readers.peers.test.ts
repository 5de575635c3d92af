import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { packageRoot } from "../platform/process/version";
import type { Autopilot } from "../simvehicle/flight-state";
import { statsOf } from "../testing/analysed-logs";
import { atEndOfFile } from "../testing/clean-up";
import { DataFlashLog, tlog, Ulog } from "../testing/flight-logs";
import { LoggedCopter } from "../testing/worlds/logged-copter";
import { startTestSimulator } from "../testing/worlds/simulator";
import { decode, FrameWriter } from "../vehicle/mavlink/wire/codec";
import { MESSAGES } from "../vehicle/mavlink/wire/messages";
import { DataFlashReader } from "./dataflash/reader";
import { LARGEST_MESSAGE, type MessageReader } from "./reader";
import { TlogReader } from "./tlog/reader";
import { UlogReader } from "./ulog/reader";

/** Name, time in microseconds where the log has one beside the message, values by field. */
type Message = [name: string, at: number | null, fields: Record<string, unknown>];

const folder = mkdtempSync(join(tmpdir(), "peers-"));
atEndOfFile(async () => rmSync(folder, { recursive: true }));

async function python(script: string, ...args: string[]): Promise<string> {
  const interpreter = process.env.PEERS_PYTHON;
  if (!interpreter) throw new Error("Run these tests by `npm run test:peers`");
  const file = join(packageRoot, ".ci/peers", script);
  const run = promisify(execFile);
  return (await run(interpreter, [file, ...args], { maxBuffer: 1 << 29 })).stdout;
}

async function theirs(format: string, path: string): Promise<Message[]> {
  const lines = (await python("dump_log.py", format, path)).trim().split("\n");
  return lines.map((line) => {
    const [name, at, fields] = JSON.parse(line) as Message;
    return [name, at, Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value)]))];
  });
}

/** As the peers' lines carry values. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const small = value <= 2n ** 53n && value >= -(2n ** 53n);
    return small ? Number(value) : String(value);
  }
  if (typeof value === "number" && Number.isNaN(value)) return "nan";
  if (typeof value === "number" && !Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (typeof value === "boolean") return Number(value);
  // Not every peer keeps the sign of a zero.
  if (value === 0) return 0;
  return Array.isArray(value) ? value.map(plain) : value;
}

function readAll(reader: MessageReader, bytes: Buffer): void {
  const window = Buffer.alloc(bytes.length + LARGEST_MESSAGE);
  bytes.copy(window);
  expect(reader.read(window, bytes.length)).toBe(bytes.length);
  expect(reader.counters.damagedBytes).toBe(0);
}

function oursDataFlash(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  const reader = new DataFlashReader((format) => (view, at) => {
    const values = [...format.values(view, at)].map(([name, value]) => [name, plain(value)]);
    messages.push([format.name, null, Object.fromEntries(values)]);
  });
  readAll(reader, bytes);
  return messages;
}

/** Of the extension fields only those that the peer's older dialect has as well. */
function oursTlog(bytes: Buffer, others: Message[]): Message[] {
  const messages: Message[] = [];
  const reader = new TlogReader((frame, at) => {
    const message = decode(frame);
    const kind = MESSAGES[frame.id];
    if (!message || !kind) throw new Error(`No class of message ${frame.id}`);
    const values: Record<string, unknown> = { ...message };
    const known = others[messages.length]?.[2] ?? {};
    const fields = kind.FIELDS.filter(({ source, extension }) => !extension || source in known).map(
      ({ source, name }) => [source, plain(values[name])],
    );
    messages.push([kind.MSG_NAME, at, Object.fromEntries(fields)]);
  });
  readAll(reader, bytes);
  return messages;
}

function oursUlog(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  const reader = new UlogReader({
    topic: (name, _, layout) => (buffer, at) => {
      const values = layout.fields
        .filter(({ path }) => !path.startsWith("_padding"))
        .map(({ path, type, offset }) => [path, plain(type.value(buffer, at + offset))]);
      messages.push([name, null, Object.fromEntries(values)]);
    },
    text: () => undefined,
  });
  readAll(reader, bytes);
  return messages;
}

/** A difference in one of a hundred thousand messages is better shown alone. */
function expectSame(ours: Message[], others: Message[]): void {
  for (const [at, message] of others.entries()) {
    if (!isDeepStrictEqual(ours[at], message)) expect(ours[at]).toEqual(message);
  }
  expect(ours).toHaveLength(others.length);
}

/** pyulog gives the messages topic by topic, and their fields in another order. */
function byName(messages: Message[]): Message[] {
  return messages
    .map(([name, at, fields]): Message => [name, at, Object.fromEntries(Object.entries(fields).sort())])
    .sort(([one], [other]) => one.localeCompare(other));
}

function flownCopter(autopilot: Autopilot = "ardupilot"): LoggedCopter {
  const copter = new LoggedCopter(join(folder, autopilot), {}, autopilot);
  copter.fly();
  return copter;
}

test("pymavlink and we read the same messages in a simulated vehicle's DataFlash log", async () => {
  const path = flownCopter().logs.at(-1);
  const others = await theirs("dataflash", path as string);
  // All that the simulator logs but ERR.
  expect(new Set(others.map(([name]) => name)).size).toBe(10);
  expect(others.length).toBeGreaterThan(1_000);
  expectSame(oursDataFlash(readFileSync(path as string)), others);
});

test("pymavlink and we read the same values of every DataFlash field type", async () => {
  const log = new DataFlashLog()
    .declare(1, "INTS", "QbBhHiIM", "TimeUS,a,b,c,d,e,f,g")
    .declare(2, "SCLD", "QcCeEL", "TimeUS,a,b,c,d,e")
    .declare(3, "REAL", "Qfdfdq", "TimeUS,a,b,c,d,e")
    .declare(4, "TEXT", "QnNZ", "TimeUS,a,b,c")
    .declare(5, "ARRY", "Qa", "TimeUS,a");
  for (let round = 1; round <= 50; round++) {
    const sign = round % 2 ? -1 : 1;
    log.write(
      "INTS",
      round,
      sign * round,
      200 + round,
      sign * 600 * round,
      1_300 * round,
      sign * 4e7 * round,
      8e7 * round,
      round,
    );
    log.write(
      "SCLD",
      round,
      sign * 650 * round,
      1_300 * round,
      sign * 4e7 * round,
      8e7 * round,
      sign * round * 1.23457,
    );
    log.write(
      "REAL",
      round,
      sign / round,
      Math.PI * round,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      sign * round * 1e15,
    );
    log.write("TEXT", round, "abcd".slice(0, round % 5), `name ${round}`, "x".repeat(round));
    log.write("ARRY", round, sign * 100 * round);
  }
  const path = join(folder, "types.bin");
  writeFileSync(path, log.bytes);
  expectSame(oursDataFlash(log.bytes), await theirs("dataflash", path));
});

test("pymavlink and we read the same messages at the same times in a telemetry log", async () => {
  const writer = new FrameWriter(1, 1);
  const sent = flownCopter().sent.map(({ at, message }, index) => ({
    at: at * 1_000 + (index % 1_000),
    frame: writer.encode(message),
  }));
  const path = join(folder, "flight.tlog");
  writeFileSync(path, tlog(sent));
  const others = await theirs("tlog", path);
  expect(others.length).toBe(sent.length);
  expect(others.length).toBeGreaterThan(2_000);
  expectSame(oursTlog(readFileSync(path), others), others);
});

test("pyulog and we read the same topics, in a log of ours and in one that pyulog wrote", async () => {
  const log = new Ulog()
    .format("point:float x;int16_t[2] y;")
    .format(
      "all:uint64_t timestamp;int8_t a;uint8_t b;int32_t c;uint32_t d;float e;double f;bool g;uint8_t[3] _padding0;",
    )
    .format("nest:uint64_t timestamp;float[3] v;point p;point[2] q;uint8_t last;uint8_t[4] _padding0;")
    .subscribe(0, "all")
    .subscribe(1, "nest");
  for (let round = 1; round <= 40; round++)
    log.data(
      0,
      "QbBiIfdB",
      round * 1e5,
      -round,
      round,
      -round * 1e6,
      round * 1e7,
      round / 3,
      Math.PI * round,
      round % 2,
    );
  for (let round = 1; round <= 40; round++)
    log.data(1, "QffffhhfhhfhhB", round * 1e5, 1 / round, 2, 3, 4, -5, 6, round, 8, 9, 10, -11, 12, round);
  const path = join(folder, "ours.ulg");
  const again = join(folder, "theirs.ulg");
  writeFileSync(path, log.bytes);
  const others = byName(await theirs("ulog", path));
  expect(others).toHaveLength(80);
  expect(byName(oursUlog(log.bytes))).toEqual(others);
  await python("rewrite_ulog.py", path, again);
  const rewritten = byName(oursUlog(readFileSync(again)));
  const sorted = (messages: unknown[]) => messages.map((each) => JSON.stringify(each)).sort();
  expect(sorted(rewritten)).toEqual(sorted(others));
});

test("pyulog and we read the same topics and figures in a simulated vehicle's ULog", async () => {
  const copter = flownCopter("px4");
  copter.vehicle.recorder?.stop();
  const path = copter.logs.at(-1) as string;
  const bytes = readFileSync(path);
  const others = byName(await theirs("ulog", path));
  expect(new Set(others.map(([name]) => name)).size).toBe(7);
  expect(others.length).toBeGreaterThan(2_000);
  expectSame(byName(oursUlog(bytes)), others);
  const [figures, ...more] = JSON.parse(await python("flight_figures.py", path));
  expect(more).toEqual([]);
  const stats = statsOf(bytes);
  expect(figures).toMatchObject({ is_over: stats.complete, failsafes: stats.failsafes });
  expect(figures.duration).toBeCloseTo(stats.duration_seconds, 3);
  expect(figures.distance / stats.distance_m).toBeCloseTo(1, 2);
  expect(figures.max_altitude).toBeCloseTo(stats.max_altitude_m ?? Number.NaN, 2);
  expect(figures.min_voltage).toBeCloseTo(stats.battery?.min_voltage_v ?? Number.NaN, 3);
});

test("pyulog finds the version, the parameters and the texts in a simulated vehicle's ULog", async () => {
  const copter = flownCopter("px4");
  copter.vehicle.recorder?.stop();
  const [info, version, parameters, ...texts] = await theirs("ulog-head", copter.logs.at(-1) as string);
  expect(info?.[2]).toMatchObject({ sys_name: "PX4", ver_hw: "PX4_SITL" });
  expect(version?.[2]).toEqual({ name: "v1.18.0" });
  const params = copter.vehicle.flight.params.all.map(({ name, value }) => [name, value]);
  expect(parameters?.[2]).toEqual(Object.fromEntries(params));
  expect(texts.map(([, , fields]) => fields)).toContainEqual({
    level: "INFO",
    text: "[commander] Disarmed by landing\t",
  });
});

test("pymavlink flies the simulated vehicle", async () => {
  const simulator = await startTestSimulator([{ kind: "copter" }], 20);
  try {
    const saw = JSON.parse(await python("fly.py", `tcp:127.0.0.1:${simulator.vehicle.port}`));
    expect(saw).toMatchObject({ upload: 0, guided: 0, armed: 0, takeoff: 0, auto: 0, reached: 2 });
    expect(saw.read_back.map(([command]: number[]) => command)).toEqual([16, 22, 16, 20]);
    expect(simulator.vehicle.state).toMatchObject({ armed: false, landed: true });
  } finally {
    await simulator.stop();
  }
}, 120_000);
