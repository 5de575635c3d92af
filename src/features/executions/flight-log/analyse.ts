import { once } from "node:events";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { FlightLogResult } from "./result";

/** What the worker is told; a chunk's bytes are handed over, not copied. */
export type ToWorker = { readonly chunk: Uint8Array } | { readonly end: true };
/** What it says: so many bytes are dealt with (and whether more are wanted), or what it found. */
export type FromWorker =
  | { readonly done: number; readonly more: boolean }
  | { readonly result: FlightLogResult }
  | { readonly fault: string };

export interface WorkerTask {
  readonly name: string;
  /** Read here instead of from chunks. */
  readonly path: string | undefined;
}

/** Bytes that may wait for the worker before the source has to. */
const MOST_WAITING = 1 << 20;
const HEAP_MB = 128;
const NURSERY_MB = 4;

const isFromSource = __filename.endsWith(".ts");
const WORKER_FILE = isFromSource ? "worker.ts" : "worker.js";

/**
 * Reads a flight log in a thread of its own, in memory that does not grow with the log. `source` is a stream of
 * its bytes or the path of a file; `name` is what the pilot knows it by. What is wrong with the log is part of the
 * result. Rejects when the source fails.
 */
export async function analyseFlightLog(
  source: Readable | string,
  { name }: { readonly name: string },
): Promise<FlightLogResult> {
  const path = typeof source === "string" ? source : undefined;
  const worker = new Worker(require.resolve(`./${WORKER_FILE}`), {
    workerData: { name, path } satisfies WorkerTask,
    // A log that makes it need more is no log.
    // And a small nursery, so that chunks that were read are given back soon.
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: NURSERY_MB },
    execArgv: isFromSource ? ["--require", "@swc-node/register"] : [],
  });
  try {
    const found = finding(worker);
    // Whichever fails first is reported; the other must not go unheard.
    found.catch(() => undefined);
    if (typeof source !== "string") await Promise.race([feed(worker, source), found]);
    return await found;
  } finally {
    if (typeof source !== "string") source.destroy();
    await worker.terminate();
  }
}

async function finding(worker: Worker): Promise<FlightLogResult> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: FromWorker) => {
      if ("result" in message) resolve(message.result);
      else if ("fault" in message) reject(new Error(message.fault));
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY")
        resolve({
          status: "unreadable",
          reason: "too_complex",
          error: "The log is too complex to be read.",
        });
      else reject(error);
    });
    worker.on("exit", () => reject(new Error("The reading of a flight log ended early.")));
  });
}

/** Passes the source on as fast as the worker reads, and stops when it wants no more. */
async function feed(worker: Worker, source: Readable): Promise<void> {
  let waiting = 0;
  let wanted = true;
  worker.on("message", (message: FromWorker) => {
    if (!("done" in message)) return;
    waiting -= message.done;
    wanted &&= message.more;
  });
  for await (const piece of source) {
    const chunk = Uint8Array.from(piece as Buffer);
    waiting += chunk.length;
    worker.postMessage({ chunk } satisfies ToWorker, [chunk.buffer]);
    while (wanted && waiting > MOST_WAITING) await once(worker, "message");
    if (!wanted) break;
  }
  worker.postMessage({ end: true } satisfies ToWorker);
}
