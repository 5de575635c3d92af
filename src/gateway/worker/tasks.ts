import { actionTasks } from "../../features/actions";
import { assetTasks } from "../../features/assets";
import { executionTasks } from "../../features/executions";
import { recorderTasks } from "../../features/flight-recorder";
import type { WorkerConfig } from "../../platform/config";
import { type JobWorker, startJobWorker, type Tasks } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";

/** Dependencies of background jobs, in the gateway and in the worker. */
interface TaskDeps
  extends Pick<
    Services,
    "log" | "registry" | "lifecycle" | "clock" | "db" | "store" | "mailQuotas" | "mailer"
  > {
  readonly config: Pick<
    WorkerConfig,
    "DATABASE_URL" | "DATABASE_DIRECT_URL" | "WORKER_CONCURRENCY" | "ARCHIVE_SIGNING_KEY" | "PUBLIC_ORIGIN"
  >;
}

/** Every feature's background jobs. */
export const composeTasks = async (deps: TaskDeps): Promise<Tasks> => ({
  ...(await assetTasks(deps)),
  ...executionTasks(deps),
  ...actionTasks(deps),
  ...recorderTasks(deps),
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
