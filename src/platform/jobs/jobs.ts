import { Logger as JobLogger, runMigrations } from "graphile-worker";
import { migrations } from "graphile-worker/dist/generated/sql";
import type { Db } from "../postgres/db";
import type { Logger } from "../process/log";
import { Gauge, type Registry } from "../process/metrics";

/**
 * The durable queue, on Postgres (graphile-worker).
 *
 * task:     what is to be done, by name; one function of a worker.
 * job:      one order of a task, with a payload that names rows and carries no data of its own.
 * waiting:  due now or later. A job that failed waits again, longer each time.
 * running:  a worker holds it; when that worker dies, it waits again.
 * dead:     used up its attempts. It stays, with its payload and its last error, until an operator acts.
 */
export interface JobRequest {
  readonly task: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** For whom it is done; null when it is for no single user. Of a user's jobs as many run at a time as `jobs` allows. */
  readonly user: number | null;
  /** Of a user's jobs with the same number one runs at a time. A key alone does not hold back a second one. */
  readonly serial?: number;
  /** Among the jobs that wait only one has a key: a later request takes the place of an earlier one. */
  readonly key?: string;
  /** Now when absent. */
  readonly runAt?: Date;
  /** Attempts before it is dead; the pauses between them grow from seconds to six hours. */
  readonly maxAttempts?: number;
}

const MAX_ATTEMPTS = 12;
/** Each queue leaves a row for ever, and a worker that looks for a job locks them all. */
const QUEUES = 256;
/**
 * Make a job due when, and only when, the transaction that it is asked in commits. Users take turns: a job comes after the
 * user's own that wait, and not before the one whose turn is next (start-time fair queueing, by priority).
 */
export async function enqueue(trx: Db, request: JobRequest): Promise<void> {
  const { task, payload, user, key, runAt, maxAttempts } = request;
  await trx.raw(
    `SELECT graphile_worker.add_job(identifier => :task, payload => :payload::json, run_at => :runAt::timestamptz,
      max_attempts => :maxAttempts::int, job_key => :key, queue_name => :queue, flags => :flags::text[],
      priority => (SELECT coalesce(greatest(min(priority), max(priority) FILTER (WHERE flags @> :owned::jsonb) + 1), 0)
        FROM graphile_worker._private_jobs WHERE is_available AND run_at <= now()))`,
    {
      ...{ task, payload: JSON.stringify(payload), key: key ?? null, runAt: runAt ?? null },
      maxAttempts: maxAttempts ?? MAX_ATTEMPTS,
      queue: queueOf(request, Number(trx.userParams.jobsPerUser ?? 1)),
      flags: user === null ? null : [flagOf(user)],
      owned: user === null ? null : ownedBy(user),
    } as never,
  );
}

/**
 * Of the jobs of one queue one runs at a time; a user has as many queues as jobs may run at a time. Few users share one:
 * the job of another waits for one job there.
 */
function queueOf({ task, user, serial }: JobRequest, jobsPerUser: number): string | null {
  if (user !== null && jobsPerUser > 0)
    return `user:${user % QUEUES}:${(serial ?? Math.floor(Math.random() * jobsPerUser)) % jobsPerUser}`;
  return serial === undefined ? null : `${task}:${serial % QUEUES}`;
}

const flagOf = (user: number) => `user:${user}`;
const ownedBy = (user: number) => JSON.stringify({ [flagOf(user)]: true });

/** The jobs of a user that run, and those that wait for their turn. */
export async function jobsOf(db: Db, user: number): Promise<{ running: number; waiting: number }> {
  const { rows } = await db.raw(
    `SELECT count(*) FILTER (WHERE locked_at IS NOT NULL) AS running,
       count(*) FILTER (WHERE is_available AND run_at <= now()) AS waiting
     FROM graphile_worker._private_jobs WHERE flags @> ?::jsonb`,
    [ownedBy(user)],
  );
  return rows[0];
}

/** Delete a job that waits. One that runs already goes on. */
export async function cancelJob(db: Db, key: string): Promise<void> {
  await db.raw("SELECT graphile_worker.remove_job(?)", [key]);
}

export interface JobRow {
  readonly id: string;
  readonly task: string;
  readonly state: "waiting" | "running" | "dead";
  readonly attempts: number;
  readonly max_attempts: number;
  readonly run_at: Date;
  readonly last_error: string | null;
}

const state = `CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'dead'
  ELSE 'waiting' END`;

/** Every job that is not done, the dead ones first. */
export async function listJobs(db: Db): Promise<JobRow[]> {
  const { rows } = await db.raw(
    `SELECT id::text, task_identifier AS task, ${state} AS state, attempts, max_attempts, run_at, last_error
     FROM graphile_worker.jobs ORDER BY ${state} = 'dead' DESC, jobs.id`,
  );
  return rows;
}

/** Let dead jobs start again, now, with all their attempts. Returns the ids of those that were dead. */
export async function retryDeadJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw(
    `SELECT id::text FROM graphile_worker.reschedule_jobs(
       ARRAY(SELECT id FROM graphile_worker.jobs WHERE id = ANY(?::bigint[]) AND ${state} = 'dead'),
       run_at => now(), attempts => 0)`,
    [ids] as never,
  );
  return rows.map((row: { id: string }) => row.id);
}

/** Counts the jobs by task and state at each scrape. A dead job may be a report that a user never received. */
export function observeJobs(registry: Registry, db: Db): void {
  new Gauge({
    name: "fleet_jobs",
    help: "Jobs that are not done, by task and state; a dead one has used up its attempts.",
    labelNames: ["task", "state"],
    registers: [registry],
    async collect() {
      const counted = await db
        .raw(
          `SELECT task_identifier AS task, ${state} AS state, count(*) FROM graphile_worker.jobs GROUP BY 1, 2`,
        )
        .catch(() => undefined);
      // Without an answer, no number rather than an old one.
      this.reset();
      for (const { task, state, count } of counted?.rows ?? []) this.set({ task, state }, count);
    },
  });
  new Gauge({
    name: "fleet_jobs_oldest_due_seconds",
    help: "How long the oldest job that could run has waited for a worker, by task.",
    labelNames: ["task"],
    registers: [registry],
    async collect() {
      const waits = await db
        .raw(
          `SELECT task_identifier AS task, extract(epoch FROM max(now() - run_at))::float8 AS seconds
           FROM graphile_worker.jobs WHERE ${state} = 'waiting' AND run_at <= now() GROUP BY 1`,
        )
        .catch(() => undefined);
      this.reset();
      for (const { task, seconds } of waits?.rows ?? []) this.set({ task }, seconds);
    },
  });
}

/** Bring the queue's own tables up to date; safe to call by several processes at once. */
export const migrateJobs = async (url: string, log?: Logger): Promise<void> =>
  runMigrations({ connectionString: url, maxPoolSize: 1, logger: jobLogger(log) });

/** Names of the queue's own migrations that are missing. */
export async function pendingJobMigrations(db: Db): Promise<string[]> {
  const names = Object.keys(migrations);
  const { rows } = await db.raw("SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS exists");
  if (!rows[0].exists) return names.map((name) => `jobs ${name}`);
  const applied = await db.raw("SELECT coalesce(max(id), 0) AS last FROM graphile_worker.migrations");
  return names
    .filter((name) => Number.parseInt(name, 10) > applied.rows[0].last)
    .map((name) => `jobs ${name}`);
}

/** The queue's own log lines, at debug unless they are errors or warnings. */
export const jobLogger = (log: Logger | undefined): JobLogger =>
  new JobLogger(() => (level, message, meta) => {
    const target = level === "error" ? "error" : level === "warning" ? "warn" : "debug";
    log?.[target]({ detail: message, ...(meta?.error ? { err: meta.error } : {}) }, "jobs");
  });
