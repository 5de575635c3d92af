import type { Logger } from "../../../platform/process/log";
import type { TelemetryServer } from "../events";
import type { Watcher } from "../sockets/watcher";
import { ageOf, type DroneState } from "./drone-state";
import type { DroneStates } from "./drone-states";

const TELL_MS = 1_000;
/** A state that is read again has an age that differs by less. */
const CLOCK_MS = 100;

export interface FleetWatchersDeps {
  readonly io: TelemetryServer;
  readonly states: Pick<DroneStates, "newest">;
  /** The ids of the user's drones. */
  readonly dronesOf: (userId: number) => Promise<readonly number[]>;
  readonly log: Logger;
}

/** One user's watchers, and what they were told. */
interface Fleet {
  /** Undefined when they are to be read. */
  drones: readonly number[] | undefined;
  /** How often the user's drones became others. */
  changes: number;
  /** The next message to them is complete: they are new, or were slow. */
  readonly behind: Set<Watcher>;
  /** In the room. */
  readonly current: Set<Watcher>;
  /** When each drone was heard last and whether its link was up, as the room was told. */
  readonly told: Map<number, { heardAt: number; up: boolean }>;
  busy: boolean;
}

const roomOf = (userId: number): string => `fleet_${userId}`;

/** Tells watchers once a second what changed on their user's drones, whichever gateway has the links. */
export class FleetWatchers {
  private readonly fleets = new Map<number, Fleet>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly deps: FleetWatchersDeps) {
    this.timer = setInterval(() => {
      for (const [userId, fleet] of this.fleets) void this.tell(userId, fleet);
    }, TELL_MS).unref();
  }

  watch(userId: number, watcher: Watcher): void {
    const fleet = this.fleets.get(userId) ?? newFleet();
    this.fleets.set(userId, fleet);
    if (!fleet.current.has(watcher)) fleet.behind.add(watcher);
  }

  unwatch(userId: number, watcher: Watcher): void {
    const fleet = this.fleets.get(userId);
    if (!fleet) return;
    leave(userId, fleet, watcher);
    fleet.behind.delete(watcher);
    if (fleet.behind.size + fleet.current.size === 0) this.fleets.delete(userId);
  }

  /** The user has a drone more or less. */
  changed(userId: number): void {
    const fleet = this.fleets.get(userId);
    if (!fleet) return;
    fleet.drones = undefined;
    fleet.told.clear();
    fleet.changes += 1;
    for (const watcher of [...fleet.current]) leave(userId, fleet, watcher);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async tell(userId: number, fleet: Fleet): Promise<void> {
    if (fleet.busy) return;
    fleet.busy = true;
    try {
      await this.tellAll(userId, fleet);
    } catch (error) {
      this.deps.log.warn({ err: error, user_id: userId }, "Cannot read a user's drones; retrying");
    } finally {
      fleet.busy = false;
    }
  }

  private async tellAll(userId: number, fleet: Fleet): Promise<void> {
    const { io, states, dronesOf } = this.deps;
    const { changes } = fleet;
    for (const watcher of [...fleet.current]) if (watcher.slow) leave(userId, fleet, watcher);
    const ids = fleet.drones ?? (await dronesOf(userId));
    const drones = await states.newest(ids);
    // A change meanwhile may be newer than what was read.
    if (fleet.changes !== changes) return;
    fleet.drones = ids;
    const changed = news(fleet, drones);
    if (fleet.current.size > 0 && changed.length > 0) {
      io.to(roomOf(userId)).emit("fleet_data", { complete: false, drones: changed });
      const now = performance.now();
      for (const watcher of fleet.current) watcher.noticeStall(now);
    }
    for (const watcher of [...fleet.behind]) {
      if (watcher.slow) continue;
      fleet.behind.delete(watcher);
      fleet.current.add(watcher);
      void watcher.socket.join(roomOf(userId));
      watcher.socket.emit("fleet_data", { complete: true, drones });
    }
  }
}

const newFleet = (): Fleet => ({
  ...{ drones: undefined, changes: 0, told: new Map(), busy: false },
  ...{ behind: new Set<Watcher>(), current: new Set<Watcher>() },
});

function leave(userId: number, { behind, current }: Fleet, watcher: Watcher): void {
  if (!current.delete(watcher)) return;
  behind.add(watcher);
  void watcher.socket.leave(roomOf(userId));
}

/** The states that the room was not told yet, which it is told now. */
function news({ told }: Fleet, drones: readonly DroneState[]): DroneState[] {
  const now = performance.now();
  return drones.filter((drone) => {
    const heardAt = now - ageOf(drone);
    const up = drone.link?.up === true;
    const before = told.get(drone.drone_id);
    if (before && before.up === up && heardAt <= before.heardAt + CLOCK_MS) return false;
    // In place: all of a fleet may be news each second.
    if (before) [before.heardAt, before.up] = [heardAt, up];
    else told.set(drone.drone_id, { heardAt, up });
    return true;
  });
}
