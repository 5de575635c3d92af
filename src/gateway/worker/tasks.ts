import { actionTasks } from "../../features/actions";
import { assetTasks } from "../../features/assets";
import { executionTasks } from "../../features/executions";
import type { WorkerConfig } from "../../platform/config";
import { type JobWorker, startJobWorker, type Tasks } from "../../platform/jobs/worker";
import type { Mailer } from "../../platform/mail";
import type { ObjectStore } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import type { MailQuotas } from "../../platform/quotas/mail-quotas";

/** Dependencies of background jobs, in the gateway and in the worker. */
interface TaskDeps {
  readonly config: Pick<
    WorkerConfig,
    "DATABASE_URL" | "DATABASE_DIRECT_URL" | "WORKER_CONCURRENCY" | "ARCHIVE_SIGNING_KEY" | "PUBLIC_ORIGIN"
  >;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Pick<Lifecycle, "onDrain">;
  readonly clock: Clock;
  readonly db: Db;
  readonly store: ObjectStore;
  readonly mailQuotas: MailQuotas;
  readonly mailer: Mailer;
}

/** Every feature's background jobs. */
export const composeTasks = async (deps: TaskDeps): Promise<Tasks> => ({
  ...(await assetTasks(deps)),
  ...executionTasks(deps),
  ...actionTasks(deps),
});

/** Runs background jobs in this process until it drains. */
export async function startBackgroundJobs(deps: TaskDeps): Promise<JobWorker> {
  const { config, log, registry } = deps;
  const worker = startJobWorker({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    tasks: await composeTasks(deps),
    concurrency: config.WORKER_CONCURRENCY,
    log,
    registry,
  });
  deps.lifecycle.onDrain("jobs", () => worker.stop());
  return worker;
}
