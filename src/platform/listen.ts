import pg from "pg";
import { z } from "zod";
import type { Logger } from "./log";

/** A row of which something changed that others act upon. What it is now must be read from the row. */
const Change = z.object({
  table: z.enum(["users", "drones"]),
  op: z.enum(["insert", "update", "delete"]),
  id: z.number().int(),
});
export type Change = z.infer<typeof Change>;

export interface ChangeListenerOptions {
  readonly log: Logger;
  /** A committed change. */
  readonly onChange: (change: Change) => void;
  /**
   * From here on changes are heard, and those of the gap before were not: read everything again. Called after
   * every gap, the one before the first connection included.
   */
  readonly onReconnect: () => void;
  /** How often the connection is asked for a sign of life, which must come within as long. */
  readonly probeMs?: number;
}

const CHANNEL = "fleet_changes";
const PROBE_MS = 5_000;
const BACKOFF_MAX_MS = 5_000;

/**
 * Hears the changes of users and drones by LISTEN, on a connection of its own that no pooler may share
 * (DATABASE_DIRECT_URL).
 *
 * connecting → listening → connecting → … → stopped. A connection that fails, or that stays silent to a probe
 * (a half-open one fails in no other way), is replaced after a growing pause.
 */
export class ChangeListener {
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private state: "connecting" | "listening" | "stopped" = "connecting";

  constructor(
    private readonly url: string,
    private readonly options: ChangeListenerOptions,
  ) {
    void this.connect();
  }

  /** Whether changes are heard now. */
  get listening(): boolean {
    return this.state === "listening";
  }

  async stop(): Promise<void> {
    this.state = "stopped";
    clearTimeout(this.timer);
    await this.client?.end().catch(() => {});
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: "fleet-listen",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: this.options.probeMs ?? PROBE_MS,
    });
    this.client = client;
    client.on("error", (error) => this.replace(client, error));
    client.on("end", () => this.replace(client, new Error("The connection ended.")));
    client.on("notification", ({ payload = "" }) => this.hear(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      this.replace(client, error as Error);
      return;
    }
    if (this.client !== client || this.state === "stopped") return;
    if (this.failures > 0) this.options.log.info("changes of the database are heard again");
    this.failures = 0;
    this.state = "listening";
    this.probeLater(client);
    this.options.onReconnect();
  }

  private probeLater(client: pg.Client): void {
    this.timer = setTimeout(() => {
      client.query("SELECT 1").then(
        () => this.client === client && this.state === "listening" && this.probeLater(client),
        (error) => this.replace(client, error),
      );
    }, this.options.probeMs ?? PROBE_MS);
  }

  /** Give this connection up and try another; safe to call for one that was given up already. */
  private replace(client: pg.Client, error: Error): void {
    if (this.client !== client || this.state === "stopped") return;
    this.client = undefined;
    this.state = "connecting";
    clearTimeout(this.timer);
    client.connection.stream.destroy();
    if (this.failures === 0) {
      this.options.log.error({ err: error }, "changes of the database are not heard; reconnecting");
    }
    const pauseMs = Math.min(100 * 2 ** Math.min(this.failures++, 10), BACKOFF_MAX_MS);
    this.timer = setTimeout(() => void this.connect(), pauseMs);
  }

  private hear(payload: string): void {
    const change = Change.safeParse(parseJson(payload));
    if (change.success) this.options.onChange(change.data);
    else this.options.log.warn({ payload: payload.slice(0, 200) }, "a change notice that cannot be read");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
