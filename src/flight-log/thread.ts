import { Worker } from "node:worker_threads";
import type { FlightLogResult } from "./result";

/** What the thread is told: of a new log, to be read from a file or from chunks, whose bytes are handed over. */
export type ToThread =
  | { readonly name: string; readonly path: string | undefined }
  | { readonly chunk: Uint8Array }
  | { readonly end: true };
/** What it says: so many bytes are dealt with (and whether more are wanted), or what it found. */
export type FromThread =
  | { readonly done: number; readonly more: boolean }
  | { readonly result: FlightLogResult }
  | { readonly fault: string };

const HEAP_MB = 128;
const NURSERY_MB = 4;
/** Logs come in flocks, when a field day ends; a thread that has read one reads the next in half the time. */
const KEPT_MS = 60_000;

const isFromSource = __filename.endsWith(".ts");
const WORKER_FILE = isFromSource ? "worker.ts" : "worker.js";

let spare: { readonly thread: Worker; readonly timer: NodeJS.Timeout } | undefined;

/** busy → spare → busy, or gone: a thread of its own for the reading of a log. */
export function takeThread(): Worker {
  const taken = spare;
  spare = undefined;
  if (!taken) return start();
  clearTimeout(taken.timer);
  forgetReader(taken.thread);
  taken.thread.ref();
  return taken.thread;
}

/** Only a thread that has come to the end of its log; any other is to be terminated. */
export async function keepThread(thread: Worker): Promise<void> {
  forgetReader(thread);
  if (spare) {
    await thread.terminate();
    return;
  }
  // Neither keeps the process alive.
  thread.unref();
  const timer = setTimeout(() => void takeThread().terminate(), KEPT_MS).unref();
  spare = { thread, timer };
  thread.once("error", forget).once("exit", forget);

  function forget(): void {
    if (spare?.thread !== thread) return;
    clearTimeout(timer);
    spare = undefined;
  }
}

/** By name: a worker has listeners of its own, which start and stop its port. */
function forgetReader(thread: Worker): void {
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
}

const start = (): Worker =>
  new Worker(require.resolve(`./${WORKER_FILE}`), {
    // A log that makes it need more is no log.
    // And a small nursery, so that chunks that were read are given back soon.
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: NURSERY_MB },
    execArgv: isFromSource ? ["--require", "@swc-node/register"] : [],
  });
