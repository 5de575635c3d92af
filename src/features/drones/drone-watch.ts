import type { ChangeListener } from "../../platform/postgres/change-listener";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { DroneEvents } from "./drone-events";
import { type Drone, findDrone, liveDrones } from "./drones.store";

const RETRY_MS = 1_000;

/**
 * Publishes every drone that is granted, revoked or redirected, whether this process, another gateway or an operator in the
 * database changed it. It remembers each live drone, compares a drone when the database notifies a change of it, and
 * compares all drones after a lost connection.
 */
export class DroneWatch {
  private readonly known = new Map<number, Drone>();
  /** One read after the other, so that an older one never overwrites a newer one. */
  private reads: Promise<void> = Promise.resolve();
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly db: Db,
    changes: Pick<ChangeListener, "subscribe">,
    private readonly events: DroneEvents,
    private readonly log: Logger,
  ) {
    changes.subscribe({
      onChange: ({ table, id }) => {
        if (table === "drones") this.enqueue(async () => this.compare(id, await findDrone(this.db, id)));
      },
      onReconnect: () => this.enqueue(() => this.compareAll()),
    });
  }

  /** A change that this process committed, before the notification of the database arrives. */
  changed(before: Drone, now: Drone | undefined): void {
    this.known.set(before.id, before);
    this.compare(before.id, now);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.reads;
  }

  private enqueue(read: () => Promise<void>): void {
    this.reads = this.reads.then(async () => {
      try {
        if (!this.stopped) await read();
      } catch (error) {
        this.log.error({ err: error }, "Cannot read changed drones; retrying");
        clearTimeout(this.retry);
        if (!this.stopped) this.retry = setTimeout(() => this.enqueue(() => this.compareAll()), RETRY_MS);
      }
    });
  }

  private async compareAll(): Promise<void> {
    const now = new Map((await liveDrones(this.db)).map((drone) => [drone.id, drone]));
    for (const id of new Set([...this.known.keys(), ...now.keys()])) this.compare(id, now.get(id));
  }

  private compare(id: number, now: Drone | undefined): void {
    const before = this.known.get(id);
    if (now) this.known.set(id, now);
    else this.known.delete(id);
    const change = changeOf(before, now);
    if (change === "revoked" && before) this.events.publish(change, before);
    if (change === "redirected" && now) this.events.publish(change, now);
    if (now && now.user_id !== before?.user_id) this.events.publish("granted", now);
  }
}

/**
 * `revoked`: the drone was deleted or has another owner. `redirected`: it is dialled elsewhere, or its former VPN key
 * is no longer trusted.
 */
export function changeOf(
  before: Drone | undefined,
  now: Drone | undefined,
): "revoked" | "redirected" | undefined {
  if (!before) return undefined;
  if (!now || now.user_id !== before.user_id) return "revoked";
  const aspects = ["type", "ip", "port", "link_host", "vpn_key_id"] as const;
  return aspects.some((aspect) => now[aspect] !== before[aspect]) ? "redirected" : undefined;
}
