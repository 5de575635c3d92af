import { createReadStream } from "node:fs";
import { analyseFlightLog } from "../../src/flight-log";

/** Reads one log in a process of its own, so that its memory can be told, and how long a first log takes: `file|stream PATH`. */
const [how, path = ""] = process.argv.slice(2);
const from = performance.now();
const source = how === "stream" ? createReadStream(path) : path;
analyseFlightLog(source, { name: "bench.bin" }).then((result) => {
  if (result.status !== "complete") throw new Error(`The log is ${result.status}`);
  process.send?.({
    peakKilobytes: process.resourceUsage().maxRSS,
    messages: result.stats.messages,
    seconds: (performance.now() - from) / 1000,
  });
});
