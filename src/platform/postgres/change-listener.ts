import { z } from "zod";
import { parseJson } from "../parse-json";
import type { Logger } from "../process/log";
import { SessionConnection } from "./session-connection";

/** A row that changed. Its present values must be read from the row. */
const Change = z.object({
  table: z.enum(["users", "drones", "revoked_tokens"]),
  op: z.enum(["insert", "update", "delete"]),
  /** Of `revoked_tokens`, the id of the token's user. */
  id: z.number().int(),
});
export type Change = z.infer<typeof Change>;

export interface ChangeSubscriber {
  /** A committed change. */
  readonly onChange: (change: Change) => void;
  /**
   * Called after every gap, the one before the first connection included: changes of the gap were missed, so read
   * everything again.
   */
  readonly onReconnect: () => void;
}

interface ChangeListenerOptions {
  readonly log: Logger;
  /** How often the connection is probed; the answer must arrive within as long. */
  readonly probeMs?: number;
}

const CHANNEL = "fleet_changes";
const PROBE_MS = 5_000;

/**
 * Receives the changes of users and drones by LISTEN, over one connection for all subscribers of this process, which
 * no pooler may share (DATABASE_DIRECT_URL).
 */
export class ChangeListener {
  private readonly subscribers: ChangeSubscriber[] = [];
  private readonly connection: SessionConnection;

  constructor(
    url: string,
    private readonly options: ChangeListenerOptions,
  ) {
    const { log, probeMs = PROBE_MS } = options;
    this.connection = new SessionConnection(url, {
      name: "fleet-listen",
      everyMs: probeMs,
      limitMs: probeMs,
      begin: (client) => {
        client.on("notification", ({ payload = "" }) => this.receive(payload));
        return client.query(`LISTEN ${CHANNEL}`);
      },
      onUp: (wasDown) => {
        if (wasDown) log.info("Listening for changes of the database again");
        for (const { onReconnect } of this.subscribers) onReconnect();
      },
      onDown: (error) => log.error({ err: error }, "Cannot listen for changes of the database; reconnecting"),
    });
  }

  /** Call before anything is awaited after the construction, so that no change is missed. */
  subscribe(subscriber: ChangeSubscriber): void {
    this.subscribers.push(subscriber);
  }

  /** Whether changes arrive now. */
  get listening(): boolean {
    return this.connection.isUp;
  }

  stop(): Promise<void> {
    return this.connection.stop();
  }

  private receive(payload: string): void {
    const { data: change } = Change.safeParse(parseJson(payload));
    if (change) for (const { onChange } of this.subscribers) onChange(change);
    else this.options.log.warn({ payload: payload.slice(0, 200) }, "Cannot read a change notice");
  }
}
