import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "../process/log";

export interface JobLeaseOptions {
  readonly pool: Pool;
  readonly log: Logger;
  /** How often our jobs are renewed and the others' looked at; 2 s when absent. */
  readonly renewMs?: number | undefined;
  /** A job that was not renewed for this long waits again; 15 s when absent: a pause of the machine is no death. */
  readonly expiryMs?: number | undefined;
}

/** The id of the job that a worker of ours does now. */
type ActiveJob = () => string | undefined;

const RETRY_MS = 500;

interface HeldJob {
  readonly id: string;
  readonly worker: string;
  /** Changes with each renewal. */
  readonly locked: string;
}

/**
 * Returns the jobs of workers that died to the queue within seconds; the queue itself takes four hours.
 *
 * Each process renews `locked_at` of the jobs that it does. A job that is not renewed has a worker that died, or one
 * that never received the job because the reply was lost. Expiry is measured by the observer's own clock, from the
 * first look that saw this `locked_at`; after a look that failed it is measured anew, so that an outage of the
 * database expires nothing.
 */
export class JobLeases {
  private readonly own = new Map<string, ActiveJob>();
  private seen = new Map<string, number>();
  private readonly ended = new AbortController();
  private readonly loop: Promise<void>;

  constructor(private readonly options: JobLeaseOptions) {
    this.loop = this.run();
  }

  /** Renew what this worker does, from now on. */
  add(workerId: string, activeJob: ActiveJob): void {
    this.own.set(workerId, activeJob);
  }

  remove(workerId: string): void {
    this.own.delete(workerId);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { renewMs = 2_000, log } = this.options;
    const { signal } = this.ended;
    while (!signal.aborted) {
      const done = await this.renew().then(
        () => true,
        (error: unknown) => {
          this.seen.clear();
          log.debug({ err: error }, "Jobs could not be renewed");
          return false;
        },
      );
      await delay(done ? renewMs : Math.min(renewMs, RETRY_MS), undefined, { signal }).catch(() => undefined);
    }
  }

  private async renew(): Promise<void> {
    const { pool, log, expiryMs = 15_000 } = this.options;
    const own = [...this.own].flatMap(([worker, activeJob]) => {
      const id = activeJob();
      return id === undefined ? [] : [{ id, worker }];
    });
    const { rows } = await pool.query<HeldJob>(RENEW, [
      own.map(({ id }) => id),
      own.map(({ worker }) => worker),
    ]);
    const now = performance.now();
    const nameOf = ({ id, worker, locked }: HeldJob) => `${id} ${worker} ${locked}`;
    this.seen = new Map(rows.map((job) => [nameOf(job), this.seen.get(nameOf(job)) ?? now]));
    for (const job of rows.filter((job) => now - (this.seen.get(nameOf(job)) ?? now) >= expiryMs)) {
      const { rowCount } = await pool.query(RELEASE, [job.id, job.worker, job.locked]);
      if (rowCount) log.warn({ job: job.id, worker: job.worker }, "A job's worker died; the job waits again");
    }
  }
}

/** Renews the jobs $1 of the workers $2, pair by pair; returns all other jobs that a worker holds. */
const RENEW = `WITH own AS (SELECT * FROM unnest($1::bigint[], $2::text[]) AS pair (id, worker)),
  renewed AS (
    UPDATE graphile_worker._private_jobs job SET locked_at = clock_timestamp()
    FROM own WHERE job.id = own.id AND job.locked_by = own.worker)
  SELECT id::text, locked_by AS worker, locked_at::text AS locked FROM graphile_worker._private_jobs
  WHERE locked_by IS NOT NULL AND (id, locked_by) NOT IN (SELECT id, worker FROM own)`;

/** As graphile-worker does after a failed attempt: a job that kills its worker is not the next one's first. */
const RELEASE = `WITH released AS (
    UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL,
      last_error = 'The worker died during the attempt.',
      run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second'
    WHERE id = $1 AND locked_by = $2 AND locked_at = $3::timestamptz RETURNING job_queue_id),
  freed AS (
    UPDATE graphile_worker._private_job_queues queue SET locked_by = NULL, locked_at = NULL
    FROM released WHERE queue.id = released.job_queue_id AND queue.locked_by = $2)
  SELECT 1 FROM released`;
