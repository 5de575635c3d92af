import type { ChangeListener } from "../../platform/postgres/change-listener";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { DroneEvents } from "./drone-events";
import { type DroneStanding, droneStanding, dronesStanding } from "./drones.store";

const RETRY_MS = 1_000;

/**
 * Tells `DroneEvents` of every drone that is gone or moved, whoever did it: this process, another gateway or
 * an operator in the database. It remembers how each live drone stood and compares when the database says
 * that one changed, and all of them after a gap in which nothing was heard.
 */
export class DroneWatch {
  private readonly known = new Map<number, DroneStanding>();
  /** Reads follow one another, so that an older one never overwrites a newer one. */
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
        if (table === "drones") this.enqueue(async () => this.compare(id, await droneStanding(this.db, id)));
      },
      onReconnect: () => this.enqueue(() => this.compareAll()),
    });
  }

  /** A change that this process committed itself, known before the database tells. */
  changed(before: DroneStanding, now: DroneStanding | undefined): void {
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
        this.log.error({ err: error }, "changed drones cannot be read; trying again");
        clearTimeout(this.retry);
        if (!this.stopped) this.retry = setTimeout(() => this.enqueue(() => this.compareAll()), RETRY_MS);
      }
    });
  }

  private async compareAll(): Promise<void> {
    const now = new Map((await dronesStanding(this.db)).map((drone) => [drone.id, drone]));
    for (const id of new Set([...this.known.keys(), ...now.keys()])) this.compare(id, now.get(id));
  }

  private compare(id: number, now: DroneStanding | undefined): void {
    const before = this.known.get(id);
    if (now) this.known.set(id, now);
    else this.known.delete(id);
    const change = changeOf(before, now);
    if (change === "gone" && before) this.events.gone(before);
    if (change === "moved" && now) this.events.moved(now);
  }
}

/**
 * What a change means to whoever has something open to the drone: it is `gone` for its former owner, or
 * `moved`, that is dialled elsewhere or not to be trusted under its former VPN key.
 */
export function changeOf(
  before: DroneStanding | undefined,
  now: DroneStanding | undefined,
): "gone" | "moved" | undefined {
  if (!before) return undefined;
  if (!now || now.user_id !== before.user_id) return "gone";
  const aspects = ["type", "ip", "port", "link_host", "vpn_key_id"] as const;
  return aspects.some((aspect) => now[aspect] !== before[aspect]) ? "moved" : undefined;
}
