import { setTimeout as delay } from "node:timers/promises";
import { closeCodes } from "../domain/relay-sockets";
import type { Change } from "../platform/postgres/change-listener";
import type { Db } from "../platform/postgres/db";
import type { Logger } from "../platform/process/log";
import { type BoundDrone, findBoundDrones } from "./drones.store";
import type { Session, Sessions } from "./sessions";

const RETRY_MS = 200;

/**
 * Closes the sessions of a drone that was deleted, has another owner, or has lost its address to another drone, so that
 * no session steers the next drone with that address. A new address of the drone itself is not picked up.
 *
 * Several changes are read together. A failed read is repeated and closes no session.
 */
export class DroneWatch {
  /** Drones whose sessions are to be checked; "all" after a gap in the notifications. */
  private readonly toCheck = new Set<number | "all">();
  private checking: Promise<void> | undefined;
  private stopped = false;
  /** Grows with every notification: a read during which it grew may be out of date. */
  changes = 0;

  constructor(
    private readonly db: Db,
    private readonly sessions: Sessions,
    private readonly log: Logger,
  ) {}

  changed({ table, op, id }: Change): void {
    if (table !== "drones") return;
    this.changes += 1;
    if (op === "delete") for (const session of this.sessions.of(id)) closeDeleted(session);
    else this.recheck(id);
  }

  recheckAll(): void {
    this.changes += 1;
    this.recheck("all");
  }

  recheck(id: number | "all"): void {
    this.toCheck.add(id);
    this.checking ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.checking;
  }

  private async run(): Promise<void> {
    // A transaction's notifications arrive together.
    await delay(0);
    while (!this.stopped && this.toCheck.size > 0) {
      const asked = [...this.toCheck];
      this.toCheck.clear();
      try {
        await this.check(asked);
      } catch (error) {
        this.log.warn({ err: error }, "Cannot read changed drones; retrying");
        for (const id of asked) this.toCheck.add(id);
        await delay(RETRY_MS);
      }
    }
    this.checking = undefined;
  }

  private async check(asked: readonly (number | "all")[]): Promise<void> {
    const bound = this.sessions.all().flatMap(({ drone }) => drone ?? []);
    const isAll = asked.includes("all");
    const ids = new Set(isAll ? bound.map(({ id }) => id) : asked.filter((id) => id !== "all"));
    const ips = isAll ? bound.flatMap(({ ip }) => ip ?? []) : [];
    const read = await findBoundDrones(this.db, [...ids], ips);
    const byId = new Map(read.map((drone) => [drone.id, drone]));
    const byIp = new Map(read.map((drone) => [drone.ip, drone]));
    for (const session of this.sessions.all()) {
      const { drone } = session;
      if (drone) closeIfChanged(session, drone, byId.get(drone.id), ids.has(drone.id), byIp.get(drone.ip));
    }
  }
}

function closeIfChanged(
  session: Session,
  before: BoundDrone,
  now: BoundDrone | undefined,
  isRead: boolean,
  holderOfAddress: BoundDrone | undefined,
): void {
  if (isRead && !now) closeDeleted(session);
  else if (now && now.user_id !== before.user_id) {
    session.close(closeCodes.forbidden, "The drone has another owner now.");
  } else if (before.ip !== null && holderOfAddress && holderOfAddress.id !== before.id) {
    session.close(closeCodes.notFound, "The drone's address is another drone's now.");
  }
}

const closeDeleted = (session: Session) => session.close(closeCodes.notFound, "The drone was deleted.");
