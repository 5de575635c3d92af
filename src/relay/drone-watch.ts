import { setTimeout as delay } from "node:timers/promises";
import type { Change } from "../platform/postgres/change-listener";
import type { Db } from "../platform/postgres/db";
import type { Logger } from "../platform/process/log";
import { closeCodes } from "./close";
import { type BoundDrone, findBoundDrones } from "./drones.store";
import type { Session, Sessions } from "./sessions";

const RETRY_MS = 200;

/**
 * Closes the sessions whose drone was deleted, has another owner, or has lost its address to another drone, so
 * that no old session steers whoever comes to have that address. A new address of the drone itself is not
 * picked up.
 *
 * Told of changes by their drone's id, it reads the rows, several changes at once; a read that fails is
 * repeated and closes nobody.
 */
export class DroneWatch {
  private readonly toCheck = new Set<number>();
  private everything = false;
  private checking: Promise<void> | undefined;
  private stopped = false;
  /** Grows with everything that was told: a look-up that saw it grow may have read what is no longer so. */
  news = 0;

  constructor(
    private readonly db: Db,
    private readonly sessions: Sessions,
    private readonly log: Logger,
  ) {}

  changed({ table, op, id }: Change): void {
    if (table !== "drones") return;
    this.news += 1;
    if (op === "delete") for (const session of this.sessions.of(id)) gone(session);
    else this.recheck(id);
  }

  /** Changes may have gone unheard: check every session. */
  recheckAll(): void {
    this.news += 1;
    this.everything = true;
    this.start();
  }

  recheck(id: number): void {
    this.toCheck.add(id);
    this.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.checking;
  }

  private start(): void {
    this.checking ??= this.run();
  }

  private async run(): Promise<void> {
    // A transaction's changes are told together; let them all arrive.
    await delay(0);
    while (!this.stopped && (this.everything || this.toCheck.size > 0)) {
      const all = this.everything;
      const ids = all ? [...new Set(this.bound().map(({ id }) => id))] : [...this.toCheck];
      this.everything = false;
      this.toCheck.clear();
      const ips = all ? this.bound().flatMap(({ ip }) => ip ?? []) : [];
      try {
        this.judge(new Set(ids), await findBoundDrones(this.db, ids, ips));
      } catch (error) {
        this.log.warn({ err: error }, "changed drones could not be read; trying again");
        if (all) this.everything = true;
        for (const id of ids) this.toCheck.add(id);
        await delay(RETRY_MS);
      }
    }
    this.checking = undefined;
  }

  private bound(): readonly BoundDrone[] {
    return this.sessions.all().flatMap(({ drone }) => drone ?? []);
  }

  private judge(asked: ReadonlySet<number>, read: readonly BoundDrone[]): void {
    const byId = new Map(read.map((drone) => [drone.id, drone]));
    const byIp = new Map(read.flatMap((drone) => (drone.ip === null ? [] : [[drone.ip, drone]])));
    for (const session of this.sessions.all()) {
      const { drone } = session;
      if (!drone) continue;
      const now = byId.get(drone.id);
      const holder = drone.ip === null ? undefined : byIp.get(drone.ip);
      if (asked.has(drone.id) && !now) gone(session);
      else if (now && now.user_id !== drone.user_id) {
        session.close(closeCodes.forbidden, "The drone has another owner now.");
      } else if (holder && holder.id !== drone.id) {
        session.close(closeCodes.notFound, "The drone's address is another drone's now.");
      }
    }
  }
}

const gone = (session: Session) => session.close(closeCodes.notFound, "The drone was deleted.");
