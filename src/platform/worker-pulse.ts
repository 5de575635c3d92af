import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "./log";

/** Any number, the same for every version. */
const LOCK_CLASS = 727_174;
const RETRY_MS = 500;

export interface PulseOptions {
  readonly log: Logger;
  /** How often the others' pulses are felt. */
  readonly sweepMs?: number;
  /** A worker is dead when it had no pulse for this long: a lost connection must have time to come back. */
  readonly graceMs?: number;
}

/**
 * Tells the living workers from the dead ones, so that a killed worker's jobs wait seconds and not the queue's
 * own four hours.
 *
 * Each worker's id is an advisory lock held by a connection of its process: Postgres lets go of it the moment
 * the process dies. Whoever can take the lock of a worker that still holds jobs has found a dead one.
 */
export class WorkerPulse {
  private client: Promise<pg.Client> | undefined;
  private readonly own = new Set<string>();
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
  async beat(workerId: string): Promise<void> {
    this.own.add(workerId);
    await this.inTurn(async (client) => lock(client, workerId));
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.loop;
    const client = await this.client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  /** A connection answers one question at a time. */
  private inTurn<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const turn = this.last.then(async () => use(await this.connected()));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** The connection, made anew with the pulses of all our workers when it was lost. */
  private connected(): Promise<pg.Client> {
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
      query_timeout: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on("error", () => {
      this.client = undefined;
    });
    client.on("end", () => {
      this.client = undefined;
    });
    await client.connect();
    for (const id of this.own) await lock(client, id);
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

  private async sweep(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ id: string }>(
      `SELECT DISTINCT locked_by AS id FROM graphile_worker.jobs
       WHERE locked_by IS NOT NULL AND NOT locked_by = ANY($1)`,
      [[...this.own]],
    );
    const silent: string[] = [];
    for (const { id } of rows) if (await isSilent(client, id)) silent.push(id);
    const now = performance.now();
    for (const id of this.missingSince.keys()) if (!silent.includes(id)) this.missingSince.delete(id);
    for (const id of silent) if (!this.missingSince.has(id)) this.missingSince.set(id, now);
    const { graceMs = 10_000, log } = this.options;
    const dead = silent.filter((id) => now - (this.missingSince.get(id) ?? now) >= graceMs);
    if (dead.length === 0) return;
    await client.query("SELECT graphile_worker.force_unlock_workers($1)", [dead]);
    log.warn({ workers: dead }, "workers died; their jobs wait again");
  }
}

async function lock(client: pg.Client, id: string): Promise<void> {
  await client.query("SELECT pg_advisory_lock($1::int, hashtext($2))", [LOCK_CLASS, id]);
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
