import type pg from "pg";
import { SessionConnection } from "../../platform/postgres/session-connection";
import type { Logger } from "../../platform/process/log";

interface SingleHubOptions {
  /** Past a pooler: the advisory lock belongs to a session. */
  readonly url: string;
  /** The node's name. */
  readonly identity: string;
  readonly log: Logger;
  /** Resolves when it is time to look again whether the hub before on this node has ended. */
  readonly wait: () => Promise<void>;
}

const PROBE_EVERY_MS = 5_000;
const STATEMENT_LIMIT_MS = 5_000;
/** How long a start waits for the database: a hub whose database is away keeps its tunnels. */
const START_LIMIT_MS = 3_000;
/** The two keys of the advisory lock. */
export const LOCK = [7_107_151, 1];

/** Postgres frees the lock of a node that lost its power after ten seconds instead of two hours. */
const KEEPALIVES =
  "SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";
const TAKE = `SELECT pg_try_advisory_lock(${LOCK.join(", ")}) AS taken`;
const HOLDER = `
  SELECT coalesce(nullif(application_name, ''), 'another role of the database') AS name
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND classid = ${LOCK[0]} AND objid = ${LOCK[1]} AND objsubid = 2
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Take the advisory lock of the one hub that a database may have without a Lease, and keep it for this process.
 * Resolves with what releases it: at once, or when the hub that had it on the same node has ended, which this one replaces.
 * Rejects, naming the holder, when a hub of another node has it. A database that does not answer is no reason to refuse:
 * the hub serves, and tries the lock again with each new connection. A conflict that is found that late is logged, and
 * both hubs serve on.
 */
export async function lockSingleHub(options: SingleHubOptions): Promise<() => Promise<void>> {
  const { url, identity, log, wait } = options;
  // Postgres cuts longer names.
  const name = `fleet-hub ${identity}`.slice(0, 63);
  let serve = (): void => {};
  let refuse = (_error: Error): void => {};
  const answer = new Promise<void>((resolve, reject) => {
    [serve, refuse] = [resolve, reject];
  });
  const late = setTimeout(() => serve(), START_LIMIT_MS);
  const begin = async (client: pg.Client) => {
    await client.query(KEEPALIVES);
    while (!(await client.query(TAKE)).rows[0].taken) {
      const holder = (await client.query(HOLDER)).rows[0]?.name;
      // It has ended since.
      if (holder === undefined) continue;
      if (holder !== name) {
        log.error({ hub: holder }, "Another hub serves this database");
        return refuse(
          new Error(`Another hub serves this database: ${holder}. Several hubs need HUB_LEASE=kubernetes.`),
        );
      }
      clearTimeout(late);
      await wait();
    }
    return serve();
  };
  const connection = new SessionConnection(url, {
    name,
    everyMs: PROBE_EVERY_MS,
    limitMs: STATEMENT_LIMIT_MS,
    begin,
    onDown: (error) => {
      log.warn({ err: error }, "The database is away: this hub does not know whether another hub serves it");
      serve();
    },
  });
  try {
    await answer;
  } catch (error) {
    await connection.stop();
    throw error;
  } finally {
    clearTimeout(late);
  }
  return () => connection.stop();
}
