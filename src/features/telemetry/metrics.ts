import { metricsIn, type Registry } from "../../platform/process/metrics";
import type { ClosedReason } from "./sockets/client-limits";
import type { TelemetryType } from "./streams";

/**
 * rate_cap:    a newer frame of the stream replaced it before it was due.
 * slow_socket: a newer frame replaced it while the watcher's socket accepted nothing.
 * slow_events: too many log lines waited for a watcher whose socket accepted nothing.
 */
type DropReason = "rate_cap" | "slow_socket" | "slow_events";

interface Counts {
  readonly sockets: () => number;
  readonly rooms: () => number;
  readonly drones: () => number;
  readonly slow: () => number;
}

/** No label names a drone or a user: a fleet would make thousands of series. */
export interface TelemetryMetrics {
  frame(type: TelemetryType): void;
  drop(reason: DropReason): void;
  refusedHandshake(): void;
  closed(reason: ClosedReason): void;
}

export function telemetryMetrics(registry: Registry, counts: Counts): TelemetryMetrics {
  const { counter, gaugeOf } = metricsIn(registry);
  gaugeOf("fleet_telemetry_sockets", "Open sockets of watchers.", counts.sockets);
  gaugeOf("fleet_telemetry_rooms", "Rooms with at least one watcher.", counts.rooms);
  gaugeOf("fleet_telemetry_drones", "Drones with a vehicle subscription.", counts.drones);
  gaugeOf("fleet_telemetry_slow_sockets", "Sockets that accept nothing at the moment.", counts.slow);
  const frames = counter(
    "fleet_telemetry_frames_total",
    "Frames sent to rooms, by type; each counts once for all of its watchers.",
    ["type"],
  );
  const drops = counter(
    "fleet_telemetry_drops_total",
    "Frames that a newer one replaced, by reason; slow_socket and slow_events count for each watcher.",
    ["reason"],
  );
  const refusals = counter(
    "fleet_telemetry_refused_handshakes_total",
    "Sockets that were refused for their token.",
  );
  const closed = counter(
    "fleet_telemetry_ended_sockets_total",
    "Connections that were closed because their client left too much unread, or connected again and again.",
    ["reason"],
  );
  return {
    frame: (type) => frames.inc({ type }),
    drop: (reason) => drops.inc({ reason }),
    refusedHandshake: () => refusals.inc(),
    closed: (reason) => closed.inc({ reason }),
  };
}
