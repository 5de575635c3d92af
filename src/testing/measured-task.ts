import { composeTasks } from "../gateway/tasks";
import { systemClock } from "../platform/clock";
import { loadConfig, workerConfig } from "../platform/config";
import { openDatabase } from "../platform/db";
import { Lifecycle } from "../platform/lifecycle";
import { createLogger } from "../platform/log";
import { openMailer } from "../platform/mail";
import { createMetrics } from "../platform/metrics";
import { ObjectStore } from "../platform/object-store";

/**
 * One background job in a process of its own, which then tells its parent the most memory it has had.
 * `measured-task.ts TASK PAYLOAD`, with the environment of a worker.
 */
async function main(): Promise<void> {
  const [task = "", payload = "{}"] = process.argv.slice(2);
  const config = loadConfig(workerConfig);
  const log = createLogger("measured", "silent");
  const db = openDatabase(config.DATABASE_URL);
  const store = new ObjectStore(config);
  const mailer = openMailer(config.SMTP_URL, config.MAIL_FROM);
  const tasks = await composeTasks({
    ...{ config, log, db, store, mailer, clock: systemClock },
    registry: createMetrics("measured"),
    lifecycle: new Lifecycle(log, 1_000),
  });
  await tasks[task]?.(JSON.parse(payload), new AbortController().signal);
  mailer.close();
  store.close();
  await db.destroy();
  // Kilobytes.
  process.send?.({ peakMegabytes: process.resourceUsage().maxRSS / 1024 });
  process.disconnect?.();
}

void main();
