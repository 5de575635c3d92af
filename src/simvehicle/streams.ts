/** Hertz at which PX4 sends unasked (its NORMAL mode); ArduPilot sends its heartbeat only. */
const PX4_DEFAULTS: Readonly<Record<number, number>> = {
  1: 1,
  24: 1,
  31: 10,
  33: 5,
  42: 1,
  74: 4,
  87: 1,
  147: 0.5,
  105: 1,
  230: 0.5,
  242: 0.5,
  245: 1,
};

/**
 * How often each telemetry message goes out. The rates belong to the vehicle's port and not to a connection:
 * the next connection finds them as the last one left them.
 */
export class Streams {
  /** Message id → milliseconds between two; never 0. */
  private readonly intervals = new Map<number, number>();
  private readonly due = new Map<number, number>();

  constructor(autopilot: "ardupilot" | "px4") {
    if (autopilot === "ardupilot") return;
    for (const [id, hertz] of Object.entries(PX4_DEFAULTS)) this.set(Number(id), 1000 / hertz);
  }

  set(id: number, milliseconds: number): void {
    this.intervals.set(id, milliseconds);
    this.due.delete(id);
  }

  /** The messages whose time has come at `now`. */
  take(now: number): number[] {
    const ids: number[] = [];
    for (const [id, interval] of this.intervals) {
      const at = this.due.get(id) ?? now;
      if (at > now) continue;
      // Keep the phase, and send no burst after a stall.
      this.due.set(id, at + interval > now ? at + interval : now + interval);
      ids.push(id);
    }
    return ids;
  }
}
