import { Counter, Gauge, Histogram, type Registry } from "../platform/process/metrics";
import { type PilotRoute, pilotRoutes } from "./upgrades";

/** Plain numbers on the hot path; prom-client reads them when it is scraped. */
class Flow {
  frames = 0;
  bytes = 0;
  dropped = 0;

  count(bytes: number): void {
    this.frames += 1;
    this.bytes += bytes;
  }
}

interface RelayState {
  /** Open sessions of a route. */
  sessions(route: PilotRoute): number;
  channels(): number;
  unacknowledgedBytes(): number;
  listening(): boolean;
}

/** The relay's metrics. No label names a drone or a pilot. */
export class RelayMetrics {
  readonly toDrone = new Flow();
  readonly toPilot = new Flow();
  readonly delay: Histogram<"direction">;
  readonly closed: Counter<"code">;
  private readonly full: Counter;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.delay = new Histogram({
      name: "fleet_relay_frame_delay_seconds",
      help: "Time that frames spend here: to_drone from arrival to the written PUBLISH, the longest of each batch; to_pilot from the message of Redis to the write to the socket.",
      labelNames: ["direction"],
      buckets: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5],
      registers,
    });
    this.closed = new Counter({
      name: "fleet_relay_sessions_closed_total",
      help: "Ended sessions by WebSocket close code; 1006 ended without a close frame.",
      labelNames: ["code"],
      registers,
    });
    this.full = new Counter({
      name: "fleet_relay_sessions_refused_total",
      help: "Sessions over the limit of this relay.",
      registers,
    });
    const { toDrone, toPilot } = this;
    this.counter("fleet_relay_frames_total", "Frames relayed, by direction.", "direction", () => ({
      to_drone: toDrone.frames,
      to_pilot: toPilot.frames,
    }));
    this.counter("fleet_relay_bytes_total", "Payload bytes relayed, by direction.", "direction", () => ({
      to_drone: toDrone.bytes,
      to_pilot: toPilot.bytes,
    }));
    this.counter(
      "fleet_relay_dropped_frames_total",
      "Frames dropped for newer ones because their reader is too slow.",
      "reason",
      () => ({ slow_pilot: toPilot.dropped, slow_drone: toDrone.dropped }),
    );
  }

  readonly sessionRefused = (): void => this.full.inc();

  observe(state: RelayState): void {
    this.gauge("fleet_relay_sessions", "Open sessions by route.", ["route"], (gauge) => {
      for (const route of pilotRoutes) gauge.set({ route }, state.sessions(route));
    });
    this.gauge("fleet_relay_subscribed_channels", "Subscribed Redis channels.", [], (gauge) =>
      gauge.set(state.channels()),
    );
    this.gauge("fleet_relay_unacknowledged_bytes", "Bytes published to Redis without a reply.", [], (gauge) =>
      gauge.set(state.unacknowledgedBytes()),
    );
    this.gauge(
      "fleet_relay_database_listening",
      "1 while Postgres notifies of changed drones.",
      [],
      (gauge) => gauge.set(Number(state.listening())),
    );
  }

  /** Read from the hot path's numbers, which only grow. */
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

  private gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: (gauge: Gauge<Label>) => void,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        read(this);
      },
    });
  }
}
