import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, ToThread } from "./analyse";
import { LogAnalysis } from "./analysis";

/** The thread that `analyseFlightLog` starts. It reads one log. */
const analysis = new LogAnalysis(workerData.name);
const send = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on("message", (chunk: ToThread) => {
  if (chunk === "end") send({ result: analysis.end() });
  else send({ done: chunk.length, isWanted: analysis.push(chunk) });
});
