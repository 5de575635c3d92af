import type { Services } from "../services";
import { enqueue } from "./jobs";

const INTERVAL_MS = 3_600_000;

/**
 * Asks for a job once an hour, until the process closes. All gateways ask; of the jobs that wait there is one. Not by the
 * queue's own timer, which ends the process when the database is down as it rings.
 */
export function enqueueHourly(
  { db, log, lifecycle }: Pick<Services, "db" | "log" | "lifecycle">,
  task: string,
  intervalMs = INTERVAL_MS,
): void {
  const timer = setInterval(() => {
    enqueue(db, { task, payload: {}, user: null, key: task }).catch((error: unknown) =>
      log.warn({ err: error, task }, "Cannot enqueue an hourly job: the database does not answer"),
    );
  }, intervalMs).unref();
  lifecycle.onClose(`hourly ${task}`, () => clearInterval(timer));
}
