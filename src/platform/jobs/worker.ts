import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { run, type TaskList, type Worker, type WorkerEvents } from "graphile-worker";
import type { Pool } from "pg";
import type { Logger } from "../process/log";
import { Histogram, type Registry } from "../process/metrics";
import { jobLogger } from "./jobs";
import { openJobPool, probe } from "./pool";
import { type PulseOptions, WorkerPulse } from "./worker-liveness";

/**
 * Does one job. It may be killed at any point and is then called again with the same payload, so that each of
 * its steps is either safe to repeat or asks first whether it was done. `signal` aborts when the process must
 * end.
 */
export type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;
export type Tasks = Readonly<Record<string, Task>>;

export interface JobWorkerOptions extends Pick<PulseOptions, "sweepMs" | "graceMs" | "silenceMs"> {
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
const GOODBYE_MS = 2_000;

/** Work off the queue until it is stopped. A database that is away is waited for. */
export function startJobWorker(options: JobWorkerOptions): JobWorker {
  const { url, log, sweepMs, graceMs, concurrency, silenceMs } = options;
  const ended = new AbortController();
  const pulse = new WorkerPulse(url, { log, sweepMs, graceMs, silenceMs });
  // Each listens on one connection and asks over another.
  const pool = openJobPool(url, { max: 2 * concurrency, silenceMs });
  const each = { ...options, tasks: measured(options), pulse, pool, signal: ended.signal };
  const workers = Array.from({ length: concurrency }, () => workUntilEnd(each));
  const stop = async () => {
    ended.abort();
    await Promise.all(workers);
    // A database that is silent does not say goodbye either.
    const goodbyes = Promise.all([pulse.stop(), pool.end()]);
    await Promise.race([goodbyes, delay(GOODBYE_MS, undefined, { ref: false })]);
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
  readonly pulse: WorkerPulse;
  readonly pool: Pool;
  readonly signal: AbortSignal;
}

/** One worker, and another in its place whenever it ends: it does when it cannot say that a job is done. */
async function workUntilEnd(options: WorkerOptions): Promise<void> {
  const { log, signal } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await workOnce(options, () => {
        failures = 0;
      });
    } catch (error) {
      if (failures === 0 && !signal.aborted)
        log.error({ err: error }, "a job worker stopped; it is started again");
    }
    const pause = Math.min(200 * 2 ** Math.min(failures, 10), BACKOFF_MAX_MS);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves when the worker has ended, or was ended by the signal; rejects when it did not start. */
async function workOnce(options: WorkerOptions, started: () => void): Promise<void> {
  const { signal, pulse, silenceMs } = options;
  const events: WorkerEvents = new EventEmitter();
  let stopProbe = () => {};
  events.on("pool:listen:success", ({ client }) => {
    stopProbe();
    stopProbe = probe(client, silenceMs && silenceMs / 2);
  });
  events.on("pool:listen:release", () => stopProbe());
  const ids = new Set<string>();
  events.on("worker:create", ({ worker }) => ids.add(worker.workerId));
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
    for (const id of ids) pulse.cease(id);
  }
}

const runnerOptions = ({ pool, log, pollMs, tasks, pulse }: WorkerOptions, events: WorkerEvents) => ({
  pgPool: pool,
  concurrency: 1,
  taskList: tasks,
  events,
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
            startWorker: (_ctx: unknown, { worker }: { worker: Worker }) =>
              pulse.beat(worker.workerId, () => worker.getActiveJob()?.id),
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
