import { PassThrough } from "node:stream";
import { MavLinkPacketParser, MavLinkPacketSplitter } from "node-mavlink";
import { mixedFrames, seededRandom } from "../src/testing/fakes/mavlink-stream";
import { decode } from "../src/vehicle/mavlink/wire/codec";
import { FrameReader } from "../src/vehicle/mavlink/wire/frame-reader";
import { MESSAGES } from "../src/vehicle/mavlink/wire/messages";
import { type BenchRow, type BenchTable, median } from "./table";

const MESSAGES_PER_ROUND = 100_000;
const ROUNDS = 5;
/** As a TCP socket hands them out. */
const CHUNK_BYTES = 16_384;
const HEAP_MESSAGES = 10_000_000;
const HEAP_GOAL_BYTES = 1_000_000;

interface Recording {
  readonly chunks: readonly Buffer[];
  /** Frames that no corruption touched. */
  readonly good: number;
}

/** The vehicle's mix, with so many of its bytes replaced by others. */
function record(corruption: number): Recording {
  const random = seededRandom(2026);
  let good = 0;
  const frames = mixedFrames(MESSAGES_PER_ROUND, random).map((frame) => {
    let touched = false;
    for (let at = 0; at < frame.length; at++) {
      if (random() >= corruption) continue;
      frame[at] = frame[at]! ^ (1 + Math.floor(random() * 255));
      touched = true;
    }
    if (!touched) good++;
    return frame;
  });
  const stream = Buffer.concat(frames);
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; at += CHUNK_BYTES) chunks.push(stream.subarray(at, at + CHUNK_BYTES));
  return { chunks, good };
}

function decodeOurs({ chunks }: Recording): { decoded: number; seconds: number } {
  let decoded = 0;
  const reader = new FrameReader((frame) => {
    if (decode(frame)) decoded++;
  });
  const startedAt = performance.now();
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { decoded, seconds: (performance.now() - startedAt) / 1000 };
}

/** The library as its README shows it: splitter into parser, and `protocol.data` on every packet. */
async function decodeByLibrary({ chunks }: Recording): Promise<{ decoded: number; seconds: number }> {
  const source = new PassThrough({ highWaterMark: 1 << 26 });
  const parser = source.pipe(new MavLinkPacketSplitter()).pipe(new MavLinkPacketParser());
  let decoded = 0;
  parser.on("data", (packet) => {
    const message = MESSAGES[packet.header.msgid];
    if (message && packet.protocol.data(packet.payload, message)) decoded++;
  });
  const startedAt = performance.now();
  const ended = new Promise<void>((resolve, reject) => {
    parser.on("end", resolve);
    parser.on("error", reject);
  });
  for (const chunk of chunks) source.write(chunk);
  source.end();
  await ended;
  return { decoded, seconds: (performance.now() - startedAt) / 1000 };
}

/** Both take turns in every round, so that neither has the warmer or the quieter machine. */
async function race(
  what: string,
  recording: Recording,
): Promise<{ row: BenchRow; ours: number; theirs: number }> {
  const rates = { ours: [] as number[], theirs: [] as number[] };
  let ours = 0;
  let theirs = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const a = decodeOurs(recording);
    const b = await decodeByLibrary(recording);
    ours = a.decoded;
    theirs = b.decoded;
    // The first round warms both up.
    if (round === 0) continue;
    rates.ours.push(a.decoded / a.seconds);
    rates.theirs.push(b.decoded / b.seconds);
  }
  const ratio = median(rates.ours) / median(rates.theirs);
  const row = {
    what,
    ours: median(rates.ours),
    baseline: median(rates.theirs),
    ratio,
    unit: "messages/s",
    goal: "at least 2 times the library's pipeline",
    met: ratio >= 2,
  };
  return { row, ours, theirs };
}

/** Bytes by which the heap in use grew over ten million messages, after collections on both ends. */
function heapGrowth(recording: Recording): number {
  const collect = globalThis.gc;
  if (!collect) throw new Error("run with --expose-gc");
  let decoded = 0;
  const reader = new FrameReader((frame) => {
    if (decode(frame)) decoded++;
  });
  const pushAll = () => {
    for (const chunk of recording.chunks) reader.push(chunk);
  };
  pushAll();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (decoded = 0; decoded < HEAP_MESSAGES; ) pushAll();
  collect();
  return process.memoryUsage().heapUsed - before;
}

/** Decoding a recorded vehicle's stream, clean and with one byte in a hundred corrupted. */
export async function run(): Promise<BenchTable> {
  const clean = record(0);
  const corrupted = record(0.01);
  const first = await race("decode, clean stream", clean);
  const second = await race("decode, 1 % of bytes corrupted", corrupted);
  const growth = heapGrowth(clean);
  // More would be chance frames, and might hide a loss.
  const kept = (count: number, recording: Recording): BenchRow["met"] => count === recording.good;
  return {
    name: "mavlink",
    rows: [
      first.row,
      second.row,
      {
        what: "untouched frames decoded from the corrupted stream",
        ours: second.ours,
        baseline: second.theirs,
        ratio: second.ours / corrupted.good,
        unit: "messages",
        goal: `all ${corrupted.good}`,
        met: kept(second.ours, corrupted) && kept(first.ours, clean),
      },
      {
        what: "heap growth over 10 million messages",
        ours: growth / 1000,
        baseline: Number.NaN,
        ratio: Number.NaN,
        unit: "kB",
        goal: "under 1,000 kB",
        met: growth < HEAP_GOAL_BYTES,
      },
    ],
    notes: [
      "Mix by seeded generator (src/testing/fakes/mavlink-stream.ts), per second: GLOBAL_POSITION_INT 10, ATTITUDE_QUATERNION 10, VFR_HUD 10, RAW_IMU 10, GPS_RAW_INT 5, SYS_STATUS 1, HEARTBEAT 1, EKF_STATUS_REPORT 1, EXTENDED_SYS_STATE 1, STATUSTEXT 0.5; MAVLink 2, chunks of 16 KiB.",
      `Median of ${ROUNDS} rounds of ${MESSAGES_PER_ROUND.toLocaleString("en-US")} messages; both sides decode every message to its class, in turns.`,
    ],
  };
}
