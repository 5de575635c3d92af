import { createReadStream } from "node:fs";
import { analyseFlightLog } from "../../src/flight-log";

/** Reads one log in a process of its own, to measure its memory and the time of a first log: `PATH`. */
const [path = ""] = process.argv.slice(2);
const from = performance.now();
analyseFlightLog(createReadStream(path), { name: "bench.bin" }).then((result) => {
  if (result.status !== "complete") throw new Error(`The log is ${result.status}`);
  process.send?.({
    peakKilobytes: process.resourceUsage().maxRSS,
    messages: result.stats.messages,
    seconds: (performance.now() - from) / 1000,
  });
});
