import { parentPort } from "node:worker_threads";
import { movedExceptions } from "../moved-exceptions";
import type { ToThread } from ".";
import { occurrences } from "./occurrences";

/** The thread that `index.ts` starts. It answers each series of a request as soon as its occurrences are known. */
parentPort?.on("message", (request: ToThread) => {
  if ("move" in request) parentPort?.postMessage(movedExceptions(...request.move));
  else for (const series of request.expand) parentPort?.postMessage(occurrences(series));
});
parentPort?.postMessage("ready");
