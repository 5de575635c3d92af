import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Worker } from "node:worker_threads";
import type { FlightLogResult } from "./result";
import { type FromThread, keepThread, type ToThread, takeThread } from "./thread";

/** Bytes that may wait for the thread before the source has to. */
const MOST_WAITING = 1 << 20;

/**
 * Reads a flight log in a thread of its own, in memory that does not grow with the log. `source` is a stream of
 * its bytes or the path of a file; `name` is what the pilot knows it by. What is wrong with the log is part of the
 * result. Rejects when the source fails.
 */
export async function analyseFlightLog(
  source: Readable | string,
  { name }: { readonly name: string },
): Promise<FlightLogResult> {
  const thread = takeThread();
  let isDone = false;
  try {
    const found = finding(thread);
    // Whichever fails first is reported; the other must not go unheard.
    found.catch(() => undefined);
    const path = typeof source === "string" ? source : undefined;
    thread.postMessage({ name, path } satisfies ToThread);
    if (typeof source !== "string") await Promise.race([feed(thread, source), found]);
    const { result, isSound } = await found;
    isDone = isSound;
    return result;
  } finally {
    if (typeof source !== "string") source.destroy();
    await (isDone ? keepThread(thread) : thread.terminate());
  }
}

/** `isSound`: the thread can read another log. */
async function finding(thread: Worker): Promise<{ result: FlightLogResult; isSound: boolean }> {
  return new Promise((resolve, reject) => {
    thread.on("message", (message: FromThread) => {
      if ("result" in message) resolve({ result: message.result, isSound: true });
      else if ("fault" in message) reject(new Error(message.fault));
    });
    thread.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return reject(error);
      const told = "The log is too complex to be read.";
      resolve({ result: { status: "unreadable", reason: "too_complex", error: told }, isSound: false });
    });
    thread.on("exit", () => reject(new Error("The reading of a flight log ended early.")));
  });
}

/** Passes the source on as fast as the thread reads, and stops when it wants no more. */
async function feed(thread: Worker, source: Readable): Promise<void> {
  let waiting = 0;
  let wanted = true;
  thread.on("message", (message: FromThread) => {
    if (!("done" in message)) return;
    waiting -= message.done;
    wanted &&= message.more;
  });
  for await (const piece of source) {
    const chunk = Uint8Array.from(piece as Buffer);
    waiting += chunk.length;
    thread.postMessage({ chunk } satisfies ToThread, [chunk.buffer]);
    while (wanted && waiting > MOST_WAITING) await once(thread, "message");
    if (!wanted) break;
  }
  thread.postMessage({ end: true } satisfies ToThread);
}
