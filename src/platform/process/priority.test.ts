import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { program } from "./program";

const SHOWN = `const { workerData, parentPort } = require("node:worker_threads");
require(workerData).lowerThreadPriority();
parentPort.postMessage(require("node:fs").readFileSync("/proc/thread-self/stat", "utf8"));`;

const niceness = (stat: string) => Number(stat.split(") ")[1]?.split(" ")[16]);

test("a thread lowers its own priority, and the process keeps its", async () => {
  const { file, execArgv } = program(join(__dirname, "priority"));
  const before = niceness(readFileSync("/proc/self/stat", "utf8"));
  const thread = new Worker(SHOWN, { eval: true, workerData: file, execArgv });
  const [stat] = await once(thread, "message");
  expect(niceness(stat)).toBe(10);
  expect(niceness(readFileSync("/proc/self/stat", "utf8"))).toBe(before);
});
