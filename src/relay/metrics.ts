import { Counter, Gauge, type Registry } from "../platform/process/metrics";
import type { SessionsFull } from "./sessions";
import { Tally } from "./tally";

export type Direction = "to_drone" | "to_pilot";

/** Plain numbers on the hot path; prom-client reads them when it is scraped. */
class Flow {
  frames = 0;
  bytes = 0;

  count(bytes: number): void {
    this.frames += 1;
    this.bytes += bytes;
  }
}

export interface Observed {
  /** Open sessions of a route. */
  sessions(route: "redispad" | "gamepad"): number;
  channels(): number;
  unacknowledgedBytes(): number;
  listening(): boolean;
}

/** What an operator sees of the relay. No label grows with drones or pilots. */
export class RelayMetrics {
  readonly toDrone = new Flow();
  readonly toPilot = new Flow();
  readonly residence: Tally<Direction>;
  readonly worstGap: Tally<"redispad">;
  readonly closed: Counter<"code">;
  private readonly full: Counter<"reason">;
  droppedForPilot = 0;
  droppedForDrone = 0;

  constructor(private readonly registry: Registry) {
    this.residence = new Tally(registry, {
      name: "fleet_relay_residence_seconds",
      help: "Time a frame spends here: to_drone from its arrival to its PUBLISH being written, to_pilot from the message of Redis to the write to the socket.",
      label: "direction",
      values: ["to_drone", "to_pilot"],
      buckets: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5],
    });
    this.worstGap = new Tally(registry, {
      name: "fleet_relay_worst_gap_seconds",
      help: "Longest pause between two frames of a pilot in one session, told when the session ends; a drone's dead-man timer is 0.5 s.",
      label: "route",
      values: ["redispad"],
      buckets: [0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 60],
    });
    this.closed = new Counter({
      name: "fleet_relay_sessions_closed_total",
      help: "Ended sessions by WebSocket close code; 1006 went without a word.",
      labelNames: ["code"],
      registers: [registry],
    });
    this.full = new Counter({
      name: "fleet_relay_sessions_refused_total",
      help: "Sessions refused because there are as many as there may be: at this relay, or of their drone.",
      labelNames: ["reason"],
      registers: [registry],
    });
    for (const reason of ["full", "drone_full"] as const) this.full.inc({ reason }, 0);
    this.counter("fleet_relay_frames_total", "Frames relayed, by direction.", "direction", () => ({
      to_drone: this.toDrone.frames,
      to_pilot: this.toPilot.frames,
    }));
    this.counter("fleet_relay_bytes_total", "Payload bytes relayed, by direction.", "direction", () => ({
      to_drone: this.toDrone.bytes,
      to_pilot: this.toPilot.bytes,
    }));
    this.counter(
      "fleet_relay_dropped_frames_total",
      "Frames dropped for newer ones because their reader is too slow.",
      "reason",
      () => ({ slow_pilot: this.droppedForPilot, slow_drone: this.droppedForDrone }),
    );
  }

  readonly sessionRefused = (reason: SessionsFull): void => this.full.inc({ reason });

  /** Counters, which only grow: set to what the hot path counted. */
  private counter(name: string, help: string, label: string, read: () => Record<string, number>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }

  observe(observed: Observed): void {
    const registers = [this.registry];
    new Gauge({
      name: "fleet_relay_sessions",
      help: "Open sessions by route.",
      labelNames: ["route"],
      registers,
      collect() {
        for (const route of ["redispad", "gamepad"] as const) this.set({ route }, observed.sessions(route));
      },
    });
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge("fleet_relay_subscribed_channels", "Redis channels this process is subscribed to.", () =>
      observed.channels(),
    );
    gauge(
      "fleet_relay_unacknowledged_bytes",
      "Bytes published to Redis that it has not acknowledged yet.",
      () => observed.unacknowledgedBytes(),
    );
    gauge(
      "fleet_relay_hears_changes",
      "1 while changes of drones (deleted, other owner) are heard from Postgres.",
      () => Number(observed.listening()),
    );
  }
}
