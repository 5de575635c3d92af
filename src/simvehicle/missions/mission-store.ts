import type { GlobalPosition } from "../geo";
import { Command, MissionResult, type PlanItem, storedByArdupilot } from "./plan-item";

/** ArduPilot on its common boards has room for 724 items, PX4 for 2000. */
const CAPACITY = { ardupilot: 724, px4: 2000 } as const;

/**
 * The plan on the vehicle, numbered as on the wire: ArduPilot's item 0 is home, whatever was sent for it,
 * and its first order is 1; PX4's first is 0.
 */
export class MissionStore {
  private items: PlanItem[] = [];

  constructor(
    readonly autopilot: "ardupilot" | "px4",
    private readonly home: () => GlobalPosition,
  ) {}

  get firstSeq(): number {
    return this.autopilot === "ardupilot" ? 1 : 0;
  }

  /** Items on the wire, home included. */
  get count(): number {
    return this.items.length;
  }

  get capacity(): number {
    return CAPACITY[this.autopilot];
  }

  get isEmpty(): boolean {
    return this.items.length <= this.firstSeq;
  }

  at(seq: number): PlanItem | undefined {
    if (seq === 0 && this.autopilot === "ardupilot") return this.homeItem();
    return this.items[seq];
  }

  /** Stores one item in its place as ArduPilot does; everything but `ACCEPTED` leaves the plan as it is. */
  put(seq: number, sent: PlanItem): MissionResult {
    if (seq > this.items.length) return MissionResult.ERROR;
    const kept = storedByArdupilot(sent);
    if ("refused" in kept) return kept.refused;
    this.items[seq] = kept.item;
    return MissionResult.ACCEPTED;
  }

  replace(items: readonly PlanItem[]): void {
    this.items = [...items];
  }

  truncate(count: number): void {
    this.items.length = Math.min(this.items.length, count);
  }

  /** Whether the next order that moves the vehicle, from `seq` on, is a takeoff. */
  takesOffAt(seq: number): boolean {
    const next = this.items
      .slice(seq)
      .find(({ command }) => command < Command.CONDITION_DELAY && command !== Command.NAV_DELAY);
    return next?.command === Command.NAV_TAKEOFF;
  }

  private homeItem(): PlanItem {
    const { lat, lng, altitude } = this.home();
    return {
      command: Command.NAV_WAYPOINT,
      frame: 0,
      autocontinue: 1,
      param1: 0,
      param2: 0,
      param3: 0,
      param4: 0,
      x: Math.round(lat * 1e7),
      y: Math.round(lng * 1e7),
      z: Math.fround(altitude),
    };
  }
}
