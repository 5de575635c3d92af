import { once } from "node:events";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { FlightLogResult } from "./result";

/** The log's next bytes, whose memory is handed over to the thread, or its end. */
export type ToThread = Uint8Array | "end";
/** So many bytes are read, and whether more are wanted; or the result. */
export type FromThread =
  | { readonly done: number; readonly isWanted: boolean }
  | { readonly result: FlightLogResult };

/** Bytes that may wait for the thread before the source has to. */
const MAX_WAITING = 1 << 20;
/** A log that needs more is refused. The young generation is small, so that chunks that were read are freed soon. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

/**
 * Reads a flight log in a thread of its own, in memory that does not grow with the log. `name` is what the pilot
 * knows the log by. A damaged or foreign log is part of the result. Rejects when the source fails.
 */
export async function analyseFlightLog(
  source: Readable,
  { name }: { readonly name: string },
): Promise<FlightLogResult> {
  const thread = startThread(name);
  try {
    const result = resultOf(thread);
    // Whichever of the two fails first is reported; the other is not an unhandled rejection.
    result.catch(() => undefined);
    await Promise.race([feed(thread, source), result]);
    return await result;
  } finally {
    source.destroy();
    await thread.terminate();
  }
}

function startThread(name: string): Worker {
  const isFromSource = __filename.endsWith(".ts");
  return new Worker(require.resolve(`./worker.${isFromSource ? "ts" : "js"}`), {
    workerData: { name },
    resourceLimits: LIMITS,
    execArgv: isFromSource ? ["--require", "@swc-node/register"] : [],
  });
}

const resultOf = (thread: Worker): Promise<FlightLogResult> =>
  new Promise((resolve, reject) => {
    thread.on("message", (message: FromThread) => {
      if ("result" in message) resolve(message.result);
    });
    thread.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return reject(error);
      resolve({ status: "unreadable", reason: "too_complex", error: "The log is too complex to be read." });
    });
    thread.on("exit", () => reject(new Error("The thread that read a flight log ended early.")));
  });

/** Passes the source on as fast as the thread reads, and stops when it wants no more. */
async function feed(thread: Worker, source: Readable): Promise<void> {
  let waiting = 0;
  let isWanted = true;
  thread.on("message", (message: FromThread) => {
    if (!("done" in message)) return;
    waiting -= message.done;
    isWanted &&= message.isWanted;
  });
  for await (const piece of source) {
    const chunk = Uint8Array.from(piece as Buffer);
    waiting += chunk.length;
    thread.postMessage(chunk satisfies ToThread, [chunk.buffer]);
    while (isWanted && waiting > MAX_WAITING) await once(thread, "message");
    if (!isWanted) break;
  }
  thread.postMessage("end" satisfies ToThread);
}
