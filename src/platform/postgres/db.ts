import knex, { type Knex } from "knex";
import pg from "pg";
import type { Logger } from "../process/log";
import { Gauge, type Registry } from "../process/metrics";

export type Db = Knex;
export type Transaction = Knex.Transaction;

/** Identities are int8 nowhere in our schema, but count(*) is: a count fits a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

interface DatabaseOptions {
  readonly poolMin?: number;
  readonly poolMax?: number;
  /** How Postgres lists us. */
  readonly name?: string;
  readonly log?: Logger;
  /** Background jobs of a user that run at a time, for `enqueue`; 0 sets no limit. */
  readonly jobsPerUser?: number;
  /**
   * A query that takes longer fails; 0 sets no limit. Postgres ends a transaction that is idle for twice as long: its
   * client may be gone, and it holds locks.
   */
  readonly queryTimeoutMs?: number;
}

const QUERY_TIMEOUT_MS = 10_000;

/** Open a pool. Nothing connects before the first query. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Db {
  const { log, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const db = knex({
    client: "pg",
    connection: {
      connectionString: url,
      application_name: options.name ?? "fleet-gateway",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: queryTimeoutMs,
    },
    log: {
      debug: (message) => log?.debug({ detail: message }, "database"),
      warn: (message) => log?.warn({ detail: message }, "database"),
      error: (message) => log?.error({ detail: message }, "database"),
      deprecate: (message) => log?.warn({ detail: message }, "database"),
    },
    pool: {
      min: options.poolMin ?? 0,
      max: options.poolMax ?? 10,
      acquireTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      afterCreate: (connection: Connection, done: (error: unknown, connection: Connection) => void) => {
        connections.set(connection.__knexUid, connection);
        connection.once("end", () => connections.delete(connection.__knexUid));
        // As a statement: a pooler refuses start-up parameters that it does not know.
        connection.query(`SET idle_in_transaction_session_timeout = ${2 * queryTimeoutMs}`).then(
          () => done(undefined, connection),
          (error) => done(error, connection),
        );
      },
    },
  });
  db.userParams = { jobsPerUser: options.jobsPerUser };
  const connections = new Map<string, Connection>();
  db.on("query-error", (error: Error, { __knexUid }: { __knexUid: string }) => {
    // knex puts the statement before the message of pg.
    if (!error.message.endsWith("Query read timeout")) return;
    // After a failover the idle connections are dead too: each would cost another query its whole limit.
    const idle = (db.client.pool as Pool).free.map(({ resource }) => resource);
    for (const connection of [connections.get(__knexUid), ...idle]) {
      if (!connection) continue;
      connection.__knex__disposed = "silent";
      connection.connection.stream.destroy();
    }
  });
  return db;
}

/** A client of pg in knex's pool. */
interface Connection extends pg.Client {
  readonly __knexUid: string;
  /** Why the pool must not lend it again; knex sets it too, a moment after the end of the connection. */
  __knex__disposed?: string;
}

interface Pool {
  readonly free: readonly { readonly resource: Connection }[];
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

export function observeDatabase(registry: Registry, db: Db): void {
  const pool = db.client.pool as Pool;
  new Gauge({
    name: "fleet_db_pool_connections",
    help: "Connections of the database pool by state; waiting counts callers without one.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.set({ state: "used" }, pool.numUsed());
      this.set({ state: "free" }, pool.numFree());
      this.set({ state: "waiting" }, pool.numPendingAcquires());
    },
  });
}
