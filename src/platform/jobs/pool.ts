import pg from "pg";

/** The queue's connections when nothing is said otherwise; see `openDatabase` for the service's own. */
const SILENCE_MS = 10_000;

export interface JobPoolOptions {
  readonly max: number;
  /** A connection that leaves a question open for longer has no server any more. */
  readonly silenceMs?: number;
}

/**
 * Connections to Postgres for the job queue, which knows no limit of its own. A server that lost its power leaves
 * connections that fail in no other way for a quarter of an hour: one that does not answer is ended, and with it
 * those that nobody uses. What is asked over them is then asked again by whoever asked.
 */
export function openJobPool(url: string, { max, silenceMs = SILENCE_MS }: JobPoolOptions): pg.Pool {
  const idle = new Set<pg.PoolClient>();
  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
      this.query = ((...args: unknown[]) => {
        const answer = ask(...args);
        if (answer instanceof Promise) answer.catch((error: Error) => isSilence(error) && this.giveUp());
        return answer;
      }) as typeof this.query;
    }

    private giveUp(): void {
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
    query_timeout: silenceMs,
    Client,
  } as pg.PoolConfig);
  pool.on("acquire", (client) => idle.delete(client));
  pool.on("release", (_error, client) => idle.add(client));
  pool.on("remove", (client) => idle.delete(client));
  return pool;
}

/**
 * Asks for a sign of life over a connection that only listens, for as long as it is listened to. Returns the
 * function that ends it.
 */
export function probe(client: pg.ClientBase, everyMs = SILENCE_MS / 2): () => void {
  let timer: NodeJS.Timeout;
  const askLater = () => {
    timer = setTimeout(() => {
      // A silence ends the connection, and whoever listens is told by that.
      client.query("SELECT 1").then(askLater, () => {});
    }, everyMs);
  };
  askLater();
  return () => clearTimeout(timer);
}

/** What pg says of a question that was open for longer than it may be. */
export const isSilence = ({ message }: Error): boolean => message === "Query read timeout";
