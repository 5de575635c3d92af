import { parentPort } from "node:worker_threads";
import { LogAnalysis } from "./analysis";
import { readLogFile } from "./read-file";
import type { FromThread, ToThread } from "./thread";

/** The thread that `thread.ts` starts. It reads one log after another. */
let analysis = new LogAnalysis("");
const say = (message: FromThread) => parentPort?.postMessage(message);

function hear(message: ToThread): void {
  if ("name" in message) {
    analysis = new LogAnalysis(message.name);
    if (message.path === undefined) return;
    readLogFile(message.path, (window, count) => analysis.take(window, count));
  } else if ("chunk" in message) {
    const more = analysis.push(message.chunk);
    say({ done: message.chunk.length, more });
    return;
  }
  say({ result: analysis.end() });
}

parentPort?.on("message", (message: ToThread) => {
  try {
    hear(message);
  } catch (error) {
    say({ fault: error instanceof Error ? error.message : String(error) });
  }
});
