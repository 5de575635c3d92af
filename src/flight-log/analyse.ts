import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Worker } from "node:worker_threads";
import { program } from "../platform/process/program";
import type { FlightLogResult, FlightTime } from "./result";

/** A log that needs more is refused. The young generation is small, so that chunks that were read are freed soon. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

interface LogOptions {
  /** What the pilot knows the log by. */
  readonly name: string;
  /** When the flight took place, since a log may have several. */
  readonly during?: FlightTime;
}

/**
 * Reads a flight log in a thread of its own, in memory that does not grow with the log. A damaged or foreign log is part
 * of the result. Rejects when the source fails.
 */
export async function analyseFlightLog(source: Readable, options: LogOptions): Promise<FlightLogResult> {
  const thread = startThread(options);
  try {
    const result = resultOf(thread);
    // The thread may have its result before it has read everything.
    const fed = pipeline(source, thread.stdin as Writable).then(() => result);
    // The first failure of the two is reported; the other is not an unhandled rejection.
    for (const one of [result, fed]) one.catch(() => undefined);
    return await Promise.race([fed, result]);
  } finally {
    source.destroy();
    await thread.terminate();
  }
}

function startThread({ name, during }: LogOptions): Worker {
  const { file, execArgv } = program(join(__dirname, "worker"));
  return new Worker(file, {
    stdin: true,
    workerData: { name, during },
    resourceLimits: LIMITS,
    execArgv,
  });
}

const resultOf = (thread: Worker): Promise<FlightLogResult> =>
  new Promise((resolve, reject) => {
    thread.on("message", resolve);
    thread.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return reject(error);
      resolve({ status: "unreadable", reason: "too_complex", error: "The log is too complex to be read." });
    });
    thread.on("exit", () => reject(new Error("The thread that read a flight log ended early.")));
  });
