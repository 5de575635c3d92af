import { closeSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker, WorkerTask } from "./analyse";
import { LogAnalysis } from "./analysis";

/** The thread that `analyseFlightLog` starts. */
const { name, path } = workerData as WorkerTask;
const analysis = new LogAnalysis(name);
const say = (message: FromWorker) => parentPort?.postMessage(message);

function readFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    for (;;) {
      const bytes = readSync(descriptor, analysis.room);
      if (bytes === 0 || !analysis.wrote(bytes)) break;
    }
  } finally {
    closeSync(descriptor);
  }
  say({ result: analysis.end() });
}

function receive(message: ToWorker): void {
  if ("end" in message) {
    say({ result: analysis.end() });
    parentPort?.close();
    return;
  }
  const more = analysis.push(message.chunk);
  say({ done: message.chunk.length, more });
}

try {
  if (path === undefined) parentPort?.on("message", receive);
  else readFile(path);
} catch (error) {
  say({ fault: error instanceof Error ? error.message : String(error) });
}
