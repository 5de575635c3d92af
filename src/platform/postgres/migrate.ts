import type { Knex } from "knex";
import { migrateJobs, pendingJobMigrations } from "../jobs/jobs";
import { retry, SETUP_WAIT_SECONDS } from "../retry";
import { type Db, openDatabase } from "./db";

/** Any number, the same for every version: two migrations of one database exclude each other by it. */
const ADVISORY_LOCK = 727_173;

type Source = Knex.MigrationSource<string>;

/** Migrations that the database has and this version does not know are of a newer version, and are left as they are. */
const configOf = (migrationSource: Source) => ({ migrationSource, disableMigrationsListValidation: true });

/** Apply what is missing, the queue's own tables too, one process at a time. Returns the names that were applied. */
export async function migrateSchema(url: string, source: Source): Promise<string[]> {
  const db = openDatabase(url, { poolMax: 2, name: "fleet-migrate", queryTimeoutMs: 0 });
  const lock = await db.client.acquireConnection();
  try {
    await db.raw("select pg_advisory_lock(?)", [ADVISORY_LOCK]).connection(lock);
    const config = configOf(source);
    // No other process migrates while we hold our lock: knex's own lock is left over from a process that died.
    await db.migrate.forceFreeMigrationsLock(config);
    const [, applied] = (await db.migrate.latest(config)) as [number, string[]];
    await migrateJobs(url);
    return applied;
  } finally {
    await db.client.releaseConnection(lock);
    await db.destroy();
  }
}

/** Resolve when the database answers; reject after `limitSeconds`. It may be starting beside us. */
export const waitForDatabase = (url: string, limitSeconds = SETUP_WAIT_SECONDS): Promise<void> =>
  wait(url, limitSeconds, async (db) => {
    await db.raw("select 1").catch((cause: Error) => {
      throw new Error(`The database does not answer: ${cause.message}`, { cause });
    });
  });

/** Resolve when nothing is missing; reject after `limitSeconds`. */
export const waitForSchema = (
  url: string,
  source: Source,
  limitSeconds = SETUP_WAIT_SECONDS,
): Promise<void> =>
  wait(url, limitSeconds, async (db) => {
    const pending = async () => {
      const [, missing] = (await db.migrate.list(configOf(source))) as [unknown, string[]];
      return [...missing, ...(await pendingJobMigrations(db))];
    };
    const missing = await pending().catch((error: Error) => [error.message]);
    if (missing.length > 0) throw new Error(`The schema is still not up to date: ${missing.join(", ")}`);
  });

async function wait(url: string, limitSeconds: number, check: (db: Db) => Promise<void>): Promise<void> {
  const db = openDatabase(url, { poolMax: 1, name: "fleet-migrate-wait" });
  try {
    await retry(() => check(db), { firstMs: 500, limitMs: limitSeconds * 1_000 });
  } finally {
    await db.destroy();
  }
}
