import type { ParamStore } from "./params/store";

/** MAV_DATA_STREAM → ArduPilot's parameter for its rate, and the messages in it. */
const GROUPS: Readonly<Record<number, { readonly param: string; readonly messages: readonly number[] }>> = {
  1: { param: "RAW_SENS", messages: [27, 116, 29] },
  2: { param: "EXT_STAT", messages: [1, 125, 152, 42, 24, 62, 162, 87] },
  3: { param: "RC_CHAN", messages: [36, 65] },
  4: { param: "RAW_CTRL", messages: [] },
  6: { param: "POSITION", messages: [33, 32] },
  10: { param: "EXTRA1", messages: [30, 178] },
  11: { param: "EXTRA2", messages: [74] },
  12: { param: "EXTRA3", messages: [163, 2, 136, 147, 193, 241] },
};
const ALL = 0;

/** Hertz at which PX4 sends unasked (its NORMAL mode); ArduPilot sends its heartbeat only. */
const PX4_DEFAULTS: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  24: 1,
  30: 15,
  31: 10,
  32: 1,
  33: 5,
  36: 1,
  42: 1,
  65: 5,
  74: 4,
  87: 1,
  105: 1,
  147: 0.5,
  230: 0.5,
  241: 0.1,
  242: 0.5,
  245: 1,
};

const NEVER = 0;

/**
 * How often each telemetry message goes out. The rates belong to the vehicle's port and not to a connection:
 * who connects next finds them as they were left.
 */
export class Streams {
  /** Message id → milliseconds between two; never 0. */
  private readonly intervals = new Map<number, number>();
  private readonly due = new Map<number, number>();

  constructor(
    private readonly autopilot: "ardupilot" | "px4",
    private readonly params: ParamStore,
  ) {
    if (autopilot === "px4") {
      for (const [id, rate] of Object.entries(PX4_DEFAULTS)) this.set(Number(id), 1000 / rate);
    } else {
      for (const stream of Object.keys(GROUPS)) this.followParam(Number(stream));
    }
  }

  /** Milliseconds between two messages; 0 when it is not sent. */
  interval(id: number): number {
    return this.intervals.get(id) ?? NEVER;
  }

  /** 0 stops it. */
  set(id: number, milliseconds: number): void {
    if (milliseconds > NEVER) this.intervals.set(id, milliseconds);
    else this.intervals.delete(id);
    this.due.delete(id);
  }

  setDefault(id: number): void {
    const rate = PX4_DEFAULTS[id];
    if (this.autopilot === "px4") this.set(id, rate === undefined ? NEVER : 1000 / rate);
    else this.set(id, NEVER);
  }

  /** REQUEST_DATA_STREAM: a group's rate in hertz, 0 to stop. ArduPilot keeps it as a parameter. */
  setGroup(stream: number, hertz: number): void {
    for (const group of stream === ALL ? Object.keys(GROUPS).map(Number) : [stream]) {
      const members = GROUPS[group];
      if (!members) continue;
      this.params.set(this.paramOf(members.param), hertz);
      for (const id of members.messages) this.set(id, hertz > 0 ? 1000 / hertz : NEVER);
    }
  }

  /** A rate parameter was set: MAV1_POSITION, or SR0_POSITION before 4.7. */
  paramChanged(name: string): void {
    for (const [stream, { param }] of Object.entries(GROUPS)) {
      if (this.paramOf(param) === name) this.followParam(Number(stream));
    }
  }

  /** The messages whose time has come at `now`. */
  take(now: number): number[] {
    const ids: number[] = [];
    for (const [id, interval] of this.intervals) {
      const at = this.due.get(id) ?? now;
      if (at > now) continue;
      // Keep the rhythm, but do not make up for a stall with a burst.
      this.due.set(id, at + interval > now ? at + interval : now + interval);
      ids.push(id);
    }
    return ids;
  }

  private followParam(stream: number): void {
    const group = GROUPS[stream];
    if (!group) return;
    const hertz = this.params.get(this.paramOf(group.param));
    if (hertz > 0) this.setGroup(stream, hertz);
    else for (const id of group.messages) this.set(id, NEVER);
  }

  private paramOf(name: string): string {
    return this.params.find(`MAV1_${name}`) ? `MAV1_${name}` : `SR0_${name}`;
  }
}
