import { setTimeout as delay } from "node:timers/promises";
import { type Runner, run, type TaskList } from "graphile-worker";
import { jobLogger } from "./jobs";
import type { Logger } from "./log";
import { Histogram, type Registry } from "./metrics";
import { type PulseOptions, WorkerPulse } from "./worker-pulse";

/**
 * Does one job. It may be killed at any point and is then called again with the same payload, so that each of
 * its steps is either safe to repeat or asks first whether it was done. `signal` aborts when the process must
 * end.
 */
export type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;
export type Tasks = Readonly<Record<string, Task>>;

export interface JobWorkerOptions extends Pick<PulseOptions, "sweepMs" | "graceMs"> {
  /** Postgres without a pooler. */
  readonly url: string;
  readonly tasks: Tasks;
  /** Jobs done at once. */
  readonly concurrency: number;
  readonly log: Logger;
  readonly registry: Registry;
  /** How often jobs that became due by time are looked for; new ones are told by NOTIFY. */
  readonly pollMs?: number;
}

export interface JobWorker {
  /** Take no further job and resolve when those under way are done. */
  stop(): Promise<void>;
}

const BACKOFF_MAX_MS = 10_000;

/** Work off the queue until it is stopped. A database that is away is waited for. */
export function startJobWorker(options: JobWorkerOptions): JobWorker {
  const { url, log, sweepMs, graceMs } = options;
  const ended = new AbortController();
  const pulse = new WorkerPulse(url, { log, sweepMs, graceMs });
  const tasks = measured(options);
  let runner: Runner | undefined;
  const supervised = (async () => {
    for (let failures = 0; !ended.signal.aborted; failures++) {
      try {
        runner = await run(runnerOptions(options, tasks, pulse));
        failures = 0;
        if (ended.signal.aborted) await runner.stop();
        await runner.promise;
      } catch (error) {
        if (ended.signal.aborted) return;
        if (failures === 0) log.error({ err: error }, "the job worker stopped; it is started again");
      }
      runner = undefined;
      const pause = Math.min(200 * 2 ** Math.min(failures, 10), BACKOFF_MAX_MS);
      await delay(pause, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      ended.abort();
      await runner?.stop().catch(() => undefined);
      await supervised;
      await pulse.stop();
    },
  };
}

const runnerOptions = (
  { url, concurrency, log, pollMs }: JobWorkerOptions,
  taskList: TaskList,
  pulse: WorkerPulse,
) => ({
  connectionString: url,
  maxPoolSize: concurrency + 2,
  concurrency,
  taskList,
  pollInterval: pollMs ?? 2_000,
  noHandleSignals: true,
  logger: jobLogger(log),
  // A crontab file in the working folder is none of ours.
  parsedCronItems: [],
  preset: {
    plugins: [
      {
        name: "fleet-pulse",
        version: "1.0.0",
        worker: {
          hooks: {
            startWorker: (_ctx: unknown, { worker }: { worker: { workerId: string } }) =>
              pulse.beat(worker.workerId),
          },
        },
      },
    ],
  },
});

function measured({ tasks, registry }: JobWorkerOptions): TaskList {
  const duration = new Histogram({
    name: "fleet_job_duration_seconds",
    help: "Time that one attempt of a job took, by task and outcome.",
    labelNames: ["task", "outcome"],
    buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1_800],
    registers: [registry],
  });
  return Object.fromEntries(
    Object.entries(tasks).map(([task, work]) => [
      task,
      async (payload: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
        const stop = duration.startTimer({ task });
        try {
          await work(payload, abortSignal ?? new AbortController().signal);
          stop({ outcome: "done" });
        } catch (error) {
          stop({ outcome: "failed" });
          throw error;
        }
      },
    ]),
  );
}
