import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../platform/process/priority";
import { LogAnalysis } from "./analysis";

/** The thread that `analyseFlightLog` starts. It reads one log from its standard input, as far as it is wanted. */
async function main(): Promise<void> {
  const analysis = new LogAnalysis(workerData.name, workerData.during);
  for await (const chunk of process.stdin) if (!analysis.push(chunk)) break;
  parentPort?.postMessage(analysis.end());
}

lowerThreadPriority();
void main();
