import { z } from "zod";
import type { Logger } from "../process/log";
import { KeptConnection } from "./session-connection";

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

/**
 * Hears the changes of users and drones by LISTEN, on a connection of its own that no pooler may share
 * (DATABASE_DIRECT_URL).
 */
export class ChangeListener {
  private readonly connection: KeptConnection;

  constructor(
    url: string,
    private readonly options: ChangeListenerOptions,
  ) {
    const { log, onReconnect, probeMs = PROBE_MS } = options;
    this.connection = new KeptConnection(url, {
      name: "fleet-listen",
      everyMs: probeMs,
      limitMs: probeMs,
      begin: (client) => {
        client.on("notification", ({ payload = "" }) => this.hear(payload));
        return client.query(`LISTEN ${CHANNEL}`);
      },
      onUp: (wasDown) => {
        if (wasDown) log.info("changes of the database are heard again");
        onReconnect();
      },
      onDown: (error) => log.error({ err: error }, "changes of the database are not heard; reconnecting"),
    });
  }

  /** Whether changes are heard now. */
  get listening(): boolean {
    return this.connection.isUp;
  }

  async stop(): Promise<void> {
    await this.connection.stop();
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
