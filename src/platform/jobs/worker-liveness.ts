import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../process/log";
import { isSilence } from "./pool";

/** Any number, the same for every version. */
const LOCK_CLASS = 727_174;
const RETRY_MS = 500;

export interface PulseOptions {
  readonly log: Logger;
  /** How often the others' pulses are felt. */
  readonly sweepMs?: number;
  /** A worker is dead when it had no pulse for this long: a lost connection must have time to come back. */
  readonly graceMs?: number;
  /** A database that does not answer for so long is asked over a new connection. */
  readonly silenceMs?: number;
}

/** The id of the job that a worker of ours does now. */
type ActiveJob = () => string | undefined;

/**
 * Tells the living workers from the dead ones, so that a killed worker's jobs wait seconds and not the queue's
 * own four hours.
 *
 * Each worker's id is an advisory lock held by a connection of its process: Postgres lets go of it the moment
 * the process dies. Whoever can take the lock of a worker that still holds jobs has found a dead one.
 *
 * A job that a worker was given and never heard of, since the answer was lost, is found by asking that worker.
 */
export class WorkerPulse {
  private client: Promise<pg.Client> | undefined;
  private readonly own = new Map<string, ActiveJob>();
  /** Those whose lock the connection of now holds. */
  private readonly locked = new Set<string>();
  private readonly missingSince = new Map<string, number>();
  private readonly ended = new AbortController();
  private last: Promise<unknown> = Promise.resolve();
  private readonly loop: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly options: PulseOptions,
  ) {
    this.loop = this.sweepUntilEnd();
  }

  /** Resolves when the worker has a pulse; only then may it take a job. */
  async beat(workerId: string, activeJob: ActiveJob): Promise<void> {
    this.own.set(workerId, activeJob);
    await this.inTurn((client) => this.lockOwn(client));
  }

  /** The worker has ended: what it still holds is a dead one's. */
  cease(workerId: string): void {
    this.own.delete(workerId);
    if (!this.locked.delete(workerId)) return;
    // Where that fails the connection is lost, and the lock with it.
    this.inTurn((client) => unlock(client, workerId)).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.loop;
    await this.last;
    const client = await this.client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  /** A connection answers one question at a time. */
  private inTurn<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const turn = this.last.then(async () => {
      const client = await this.connected();
      return use(client).catch((error: Error) => {
        // It fails in no other way when the server has lost its power.
        if (isSilence(error)) client.connection.stream.destroy();
        throw error;
      });
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** The connection, made anew with the pulses of all our workers when it was lost. */
  private connected(): Promise<pg.Client> {
    this.ended.signal.throwIfAborted();
    this.client ??= this.connect().catch((error) => {
      this.client = undefined;
      throw error;
    });
    return this.client;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: "fleet-worker-pulse",
      connectionTimeoutMillis: 5_000,
      query_timeout: this.options.silenceMs ?? 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // Ours may lie behind a link that is cut in silence: then it is the server that must let go of the locks.
      options: "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3",
    });
    client.on("error", () => {
      this.client = undefined;
    });
    client.on("end", () => {
      this.client = undefined;
    });
    await client.connect();
    this.locked.clear();
    return client;
  }

  private async sweepUntilEnd(): Promise<void> {
    const { sweepMs = 5_000, log } = this.options;
    const { signal } = this.ended;
    while (!signal.aborted) {
      const felt = await this.inTurn((client) => this.sweep(client)).then(
        () => true,
        (error: unknown) => {
          log.debug({ err: error }, "the workers' pulses cannot be felt");
          return false;
        },
      );
      // Our own pulse went with the connection, and must be back well before the others' grace is over.
      await delay(felt ? sweepMs : Math.min(sweepMs, RETRY_MS), undefined, { signal }).catch(() => undefined);
    }
  }

  /** One that an earlier connection of ours has not let go of yet is locked by a later turn. */
  private async lockOwn(client: pg.Client): Promise<void> {
    for (const id of this.own.keys()) {
      if (!this.locked.has(id) && (await tryLock(client, id))) this.locked.add(id);
    }
  }

  private async sweep(client: pg.Client): Promise<void> {
    await this.lockOwn(client);
    const { rows } = await client.query<HeldJob>(
      "SELECT id::text AS job, locked_by AS worker FROM graphile_worker.jobs WHERE locked_by IS NOT NULL",
    );
    const silent: string[] = [];
    for (const worker of new Set(rows.map((row) => row.worker)))
      if (!this.own.has(worker) && (await isSilent(client, worker))) silent.push(worker);
    const strays = rows.filter(({ job, worker }) => {
      const activeJob = this.own.get(worker);
      return activeJob && String(activeJob()) !== job;
    });
    const missing = [...silent, ...strays.map(nameOf)];
    const now = performance.now();
    for (const id of this.missingSince.keys()) if (!missing.includes(id)) this.missingSince.delete(id);
    for (const id of missing) if (!this.missingSince.has(id)) this.missingSince.set(id, now);
    const { graceMs = 10_000, log } = this.options;
    const isOver = (id: string) => now - (this.missingSince.get(id) ?? now) >= graceMs;
    const dead = silent.filter(isOver);
    if (dead.length > 0) {
      await client.query("SELECT graphile_worker.force_unlock_workers($1)", [dead]);
      log.warn({ workers: dead }, "workers died; their jobs wait again");
    }
    for (const stray of strays.filter((one) => isOver(nameOf(one)))) {
      await letGo(client, stray);
      log.warn(stray, "a worker never heard of the job that it was given; it waits again");
    }
  }
}

interface HeldJob {
  readonly job: string;
  readonly worker: string;
}

const nameOf = ({ job, worker }: HeldJob): string => `${worker} ${job}`;

async function letGo(client: pg.Client, { job, worker }: HeldJob): Promise<void> {
  await client.query(
    "UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL WHERE id = $1 AND locked_by = $2",
    [job, worker],
  );
}

async function tryLock(client: pg.Client, id: string): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_try_advisory_lock($1::int, hashtext($2)) AS locked", [
    LOCK_CLASS,
    id,
  ]);
  return rows[0].locked;
}

async function unlock(client: pg.Client, id: string): Promise<void> {
  await client.query("SELECT pg_advisory_unlock($1::int, hashtext($2))", [LOCK_CLASS, id]);
}

/** Whether nobody holds the lock. Two who feel at once may both hear a pulse; the next sweep tells. */
async function isSilent(client: pg.Client, id: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT CASE WHEN pg_try_advisory_lock($1::int, hashtext($2))
       THEN pg_advisory_unlock($1::int, hashtext($2)) ELSE false END AS silent`,
    [LOCK_CLASS, id],
  );
  return rows[0].silent;
}
