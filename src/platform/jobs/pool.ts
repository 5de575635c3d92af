import pg from "pg";

const QUERY_TIMEOUT_MS = 10_000;

interface JobPoolOptions {
  readonly max: number;
  /** A connection that leaves a query unanswered for longer has lost its server. */
  readonly queryTimeoutMs?: number | undefined;
}

/**
 * Connections to Postgres for the job queue, which sets no time limits itself. A server that lost its power leaves
 * connections that otherwise fail after a quarter of an hour: one that does not answer is closed, and the idle ones
 * with it. graphile-worker repeats the query.
 */
export function openJobPool(
  url: string,
  { max, queryTimeoutMs = QUERY_TIMEOUT_MS }: JobPoolOptions,
): pg.Pool {
  const idle = new Set<pg.PoolClient>();
  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      this.query = ((...args: unknown[]) => {
        const result = query(...args);
        if (result instanceof Promise)
          result.catch(({ message }: Error) => message === "Query read timeout" && this.discard());
        return result;
      }) as typeof this.query;
    }

    private discard(): void {
      for (const client of [this, ...idle]) client.connection.stream.destroy();
    }
  }
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "fleet-jobs",
    max,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: queryTimeoutMs,
    Client,
  } as pg.PoolConfig);
  // Of an idle connection: the pool replaces it.
  pool.on("error", () => {});
  pool.on("acquire", (client) => idle.delete(client));
  pool.on("release", (_error, client) => idle.add(client));
  pool.on("remove", (client) => idle.delete(client));
  return pool;
}

/** Query a connection that only listens, again and again, until the returned function is called. */
export function probe(client: pg.ClientBase, everyMs = QUERY_TIMEOUT_MS / 2): () => void {
  let timer: NodeJS.Timeout;
  const probeLater = () => {
    timer = setTimeout(() => {
      // A timeout closes the connection, which ends the listener.
      client.query("SELECT 1").then(probeLater, () => {});
    }, everyMs);
  };
  probeLater();
  return () => clearTimeout(timer);
}
