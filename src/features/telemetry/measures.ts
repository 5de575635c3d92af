import { Counter, Gauge, type Registry } from "../../platform/process/metrics";
import type { TelemetryType } from "./streams";
import type { EndReason } from "./unread-answers";

/**
 * rate_cap:    a newer frame of the stream took its place before its turn came.
 * slow_socket: a newer frame took its place while the watcher's socket took nothing.
 * slow_events: too many log lines waited for a watcher whose socket took nothing.
 */
export type DropReason = "rate_cap" | "slow_socket" | "slow_events";

export interface Counts {
  readonly sockets: number;
  readonly rooms: number;
  readonly drones: number;
  readonly slow: number;
}

/** The feature's measures. No label names a drone or a user: a fleet would make thousands of series. */
export interface Measures {
  frame(type: TelemetryType): void;
  drop(reason: DropReason): void;
  refusal(): void;
  end(reason: EndReason): void;
}

export function telemetryMeasures(registry: Registry, counts: () => Counts): Measures {
  const registers = [registry];
  const gauge = (name: string, help: string, value: (counts: Counts) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(counts()));
      },
    });
  gauge("fleet_telemetry_sockets", "Watchers' sockets that are open.", ({ sockets }) => sockets);
  gauge("fleet_telemetry_rooms", "Rooms with at least one watcher.", ({ rooms }) => rooms);
  gauge("fleet_telemetry_drones", "Drones with a vehicle subscription.", ({ drones }) => drones);
  gauge("fleet_telemetry_slow_sockets", "Sockets that take nothing just now.", ({ slow }) => slow);
  const frames = new Counter({
    name: "fleet_telemetry_frames_total",
    help: "Frames sent to rooms, by type; each counts once however many watch.",
    labelNames: ["type"],
    registers,
  });
  const drops = new Counter({
    name: "fleet_telemetry_drops_total",
    help: "Frames that a newer one replaced, by reason; slow_socket and slow_events count for each watcher.",
    labelNames: ["reason"],
    registers,
  });
  const refusals = new Counter({
    name: "fleet_telemetry_refused_handshakes_total",
    help: "Sockets that were refused for their token.",
    registers,
  });
  const ends = new Counter({
    name: "fleet_telemetry_ended_sockets_total",
    help: "Connections that were ended because their client left too much unread, or joined again and again.",
    labelNames: ["reason"],
    registers,
  });
  return {
    frame: (type) => frames.inc({ type }),
    drop: (reason) => drops.inc({ reason }),
    refusal: () => refusals.inc(),
    end: (reason) => ends.inc({ reason }),
  };
}
