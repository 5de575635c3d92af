import pg from "pg";
import { backoffMs } from "../retry";

interface SessionConnectionOptions {
  /** How Postgres lists it; at most 63 bytes. */
  readonly name: string;
  /** Sets up the session of a fresh connection; where it rejects the connection is replaced. */
  readonly begin: (client: pg.Client) => Promise<unknown>;
  /** Interval of probes. */
  readonly everyMs: number;
  /** A statement that is not answered within this time ends the connection. */
  readonly limitMs: number;
  /** Called after each `begin`; `wasDown` when `onDown` was called before. */
  readonly onUp?: (wasDown: boolean) => void;
  /** Called once per outage. */
  readonly onDown: (error: Error) => void;
}

/**
 * One connection to Postgres that is replaced whenever it is lost, for what belongs to a session: LISTEN, an advisory
 * lock. It needs DATABASE_DIRECT_URL: no pooler may share it.
 *
 * connecting → up → connecting → … → stopped. A connection that fails, or that does not answer a probe (a half-open
 * one fails in no other way), is replaced after a growing pause.
 */
export class SessionConnection {
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private state: "connecting" | "up" | "stopped" = "connecting";

  constructor(
    private readonly url: string,
    private readonly options: SessionConnectionOptions,
  ) {
    void this.connect();
  }

  get isUp(): boolean {
    return this.state === "up";
  }

  async stop(): Promise<void> {
    this.state = "stopped";
    clearTimeout(this.timer);
    await this.client?.end().catch(() => {});
  }

  private async connect(): Promise<void> {
    const { name, limitMs, begin, onUp } = this.options;
    const client = new pg.Client({
      connectionString: this.url,
      application_name: name,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: limitMs,
    });
    this.client = client;
    client.on("error", (error) => this.replace(client, error));
    client.on("end", () => this.replace(client, new Error("The connection ended.")));
    try {
      await client.connect();
      await begin(client);
    } catch (error) {
      this.replace(client, error as Error);
      return;
    }
    if (this.client !== client || this.state === "stopped") return;
    const wasDown = this.failures > 0;
    this.failures = 0;
    this.state = "up";
    this.probeLater(client);
    onUp?.(wasDown);
  }

  private probeLater(client: pg.Client): void {
    this.timer = setTimeout(() => {
      client.query("SELECT 1").then(
        () => this.client === client && this.state === "up" && this.probeLater(client),
        (error) => this.replace(client, error),
      );
    }, this.options.everyMs);
  }

  /** Give this connection up and try another; safe to call for one that was given up already. */
  private replace(client: pg.Client, error: Error): void {
    if (this.client !== client || this.state === "stopped") return;
    this.client = undefined;
    this.state = "connecting";
    clearTimeout(this.timer);
    client.connection.stream.destroy();
    if (this.failures === 0) this.options.onDown(error);
    this.failures += 1;
    this.timer = setTimeout(() => void this.connect(), backoffMs(this.failures, 100, 5_000));
  }
}
