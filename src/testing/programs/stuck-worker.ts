import { startJobWorker } from "../../platform/jobs/worker";
import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";

/** A worker in a process of its own that takes a job and never finishes it: a test kills it. */
startJobWorker({
  url: process.env.DATABASE_URL as string,
  concurrency: 1,
  renewMs: 50,
  log: createLogger("stuck", "silent"),
  registry: createMetrics("stuck"),
  tasks: {
    nap: () =>
      new Promise(() => {
        process.send?.("asleep");
      }),
  },
});
