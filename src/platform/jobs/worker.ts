import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { run, type TaskList, type WorkerEvents } from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../process/log";
import { Histogram, type Registry } from "../process/metrics";
import { backoffMs } from "../retry";
import { type JobLeaseOptions, JobLeases } from "./job-leases";
import { jobLogger } from "./jobs";
import { openJobPool, probe } from "./pool";

/**
 * Does one job. It may be killed at any point and is then called again with the same payload, so that each of
 * its steps is either safe to repeat or asks first whether it was done. `signal` aborts when the process must
 * end.
 */
export type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;
export type Tasks = Readonly<Record<string, Task>>;

interface JobWorkerOptions extends Pick<JobLeaseOptions, "renewMs" | "expiryMs"> {
  /** Postgres without a pooler. */
  readonly url: string;
  readonly tasks: Tasks;
  /** Jobs done at once. */
  readonly concurrency: number;
  readonly log: Logger;
  readonly registry: Registry;
  /** How often jobs that became due by time are looked for; NOTIFY announces new ones. */
  readonly pollMs?: number;
  /** A connection that leaves a query unanswered for longer is replaced. */
  readonly queryTimeoutMs?: number;
}

export interface JobWorker {
  /** Take no further job and resolve when those under way are done. */
  stop(): Promise<void>;
}

const CLOSE_MS = 2_000;

/** Do the jobs of the queue until it is stopped. While the database is away it retries. */
export function startJobWorker(options: JobWorkerOptions): JobWorker {
  const { url, log, renewMs, expiryMs, concurrency, queryTimeoutMs } = options;
  const ended = new AbortController();
  // Each worker listens on one connection and queries over another; the leases have their own.
  const pool = openJobPool(url, { max: 2 * concurrency + 1, queryTimeoutMs });
  const leases = new JobLeases({ pool, log, renewMs, expiryMs });
  const each = { ...options, tasks: measured(options), leases, pool, signal: ended.signal };
  const workers = Array.from({ length: concurrency }, () => workUntilEnd(each));
  const stop = async () => {
    ended.abort();
    await Promise.all(workers);
    // A database that does not answer does not close its connections either.
    const closed = leases.stop().then(() => pool.end());
    await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface WorkerOptions extends Omit<JobWorkerOptions, "tasks"> {
  readonly tasks: TaskList;
  readonly leases: JobLeases;
  readonly pool: Pool;
  readonly signal: AbortSignal;
}

/** One worker, restarted whenever it ends: it ends when it cannot record that a job is done. */
async function workUntilEnd(options: WorkerOptions): Promise<void> {
  const { log, signal } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await workOnce(options, () => {
        failures = 0;
      });
    } catch (error) {
      if (failures === 0 && !signal.aborted) log.error({ err: error }, "A job worker stopped; restarting it");
    }
    await delay(backoffMs(failures + 1, 200, 10_000), undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves when the worker has ended, or was ended by the signal; rejects when it did not start. */
async function workOnce(options: WorkerOptions, started: () => void): Promise<void> {
  const { signal, leases, queryTimeoutMs } = options;
  const events: WorkerEvents = new EventEmitter();
  let stopProbe = () => {};
  events.on("pool:listen:success", ({ client }) => {
    stopProbe();
    stopProbe = probe(client, queryTimeoutMs && queryTimeoutMs / 2);
  });
  events.on("pool:listen:release", () => stopProbe());
  const ids = new Set<string>();
  events.on("worker:create", ({ worker }) => {
    ids.add(worker.workerId);
    leases.add(worker.workerId, () => worker.getActiveJob()?.id);
  });
  const runner = await run(runnerOptions(options, events));
  started();
  // It was stopped already when it failed by itself.
  const stop = () => void runner.stop().catch(() => undefined);
  events.on("worker:fatalError", () => setImmediate(stop));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  try {
    await runner.promise;
  } finally {
    signal.removeEventListener("abort", stop);
    stopProbe();
    for (const id of ids) leases.remove(id);
  }
}

const runnerOptions = ({ pool, log, pollMs, tasks }: WorkerOptions, events: WorkerEvents) => ({
  pgPool: pool,
  concurrency: 1,
  taskList: tasks,
  events,
  pollInterval: pollMs ?? 2_000,
  noHandleSignals: true,
  logger: jobLogger(log),
  // A crontab file in the working folder is not ours.
  parsedCronItems: [],
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
