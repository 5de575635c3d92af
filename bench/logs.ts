import { fork } from "node:child_process";
import { createReadStream, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyseFlightLog, DataFlashReader } from "../src/flight-log";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { decodeNeeded } from "./logs/decode";
import { countMessages } from "./logs/headers";
import { writeLog } from "./logs/write-log";
import { type BenchRow, type BenchTable, median } from "./table";

const BYTES = 500e6;
const SMALL_BYTES = 20e6;
const ROUNDS = 5;
const GOAL = 0.5;
const MEMORY_GOAL_MB = 150;

interface Peak {
  readonly peakKilobytes: number;
  readonly messages: number;
  /** From the call to the result, in a process that has read none before. */
  readonly seconds: number;
}

async function megabytesPerSecond(bytes: number, read: () => unknown): Promise<number> {
  const from = performance.now();
  await read();
  return bytes / 1e6 / ((performance.now() - from) / 1000);
}

/** Every field of every message, of a part of the log; the analysis needs a few messages only. */
function decodeAll(path: string, bytes: number): void {
  const window = Buffer.alloc(bytes);
  const length = readSync(openSync(path, "r"), window);
  const reader = new DataFlashReader((format) => (view, at) => {
    format.values(view, at);
  });
  reader.read(window, length);
}

function peakOf(path: string): Promise<Peak> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, "logs", "analyse-process.js"), [path], { execArgv: [] });
    child.once("message", (peak: Peak) => resolve(peak));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The reading process ended with ${code}`)));
  });
}

/** Reading a large DataFlash log beside a bare walk over the heads of its messages. */
export async function run(): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), "bench-logs-"));
  const stops = new CleanupStack();
  stops.add(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const path = join(folder, "large.bin");
    const small = join(folder, "small.bin");
    const bytes = writeLog(path, BYTES);
    writeLog(small, SMALL_BYTES);
    const decoded: number[] = [];
    const counted: number[] = [];
    const bare: number[] = [];
    let messages = 0;
    let decodedMessages = 0;
    // The first round brings the file into the page cache and warms both up.
    for (let round = 0; round <= ROUNDS; round++) {
      const decoding = await megabytesPerSecond(bytes, () => {
        decodedMessages = decodeNeeded(path).messages;
      });
      const counting = await megabytesPerSecond(bytes, () =>
        analyseFlightLog(createReadStream(path), { name: "large.bin" }),
      );
      const walking = await megabytesPerSecond(bytes, () => {
        messages = countMessages(path);
      });
      if (round === 0) continue;
      decoded.push(decoding);
      counted.push(counting);
      bare.push(walking);
    }
    const everything = await megabytesPerSecond(SMALL_BYTES, () => decodeAll(small, SMALL_BYTES));
    const ratio = median(decoded) / median(bare);
    const rows: BenchRow[] = [
      {
        what: "decode of a 500 MB DataFlash log, every number that the statistics need",
        ours: median(decoded),
        baseline: median(bare),
        ratio,
        unit: "MB/s",
        goal: `at least ${GOAL} of a bare loop over the message headers`,
        met: ratio >= GOAL && decodedMessages === messages,
      },
      {
        what: "statistics of it, counted in a thread",
        ours: median(counted),
        baseline: median(bare),
        ratio: median(counted) / median(bare),
        unit: "MB/s",
        goal: "shown",
        met: true,
      },
    ];
    const large = await peakOf(path);
    const little = await peakOf(small);
    const [peak, base] = [large.peakKilobytes / 1000, little.peakKilobytes / 1000];
    rows.push({
      what: "peak memory of the whole process, 500 MB beside 20 MB",
      ours: peak,
      baseline: base,
      ratio: peak / base,
      unit: "MB",
      goal: `under ${MEMORY_GOAL_MB} MB, every message read`,
      met: peak < MEMORY_GOAL_MB && large.messages === messages,
    });
    return {
      name: "logs",
      rows,
      notes: [
        `${messages.toLocaleString("en-US")} messages in a copter's default mix (bench/logs/write-log.ts); median of ${ROUNDS} rounds, taken in turns, from the page cache.`,
        `The goal names decoding: the reader of the analysis skips the messages that the statistics do not need, reads every number that they need of the others, and adds it to a checksum. Statistics are decoding and counting.`,
        `Decoding and the bare loop read the file a megabyte at a time in one thread; statistics read a stream, in a thread that is started for each log.`,
        `The first log of a process, whose code is not optimised yet, was read at ${Math.round(bytes / 1e6 / large.seconds)} MB/s.`,
        `Decoding every field of every message, which nothing here does, runs at ${Math.round(everything)} MB/s.`,
      ],
    };
  } finally {
    await stops.clear();
  }
}
