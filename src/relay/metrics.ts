import { type PilotRoute, pilotRoutes } from "../domain/relay-sockets";
import { metricsIn, type Registry } from "../platform/process/metrics";

interface RelayState {
  /** Open sessions of a route. */
  sessions(route: PilotRoute): number;
  channels(): number;
  listening(): boolean;
}

export type RelayMetrics = ReturnType<typeof relayMetrics>;

/** The relay's metrics. No label names a drone or a pilot. */
export function relayMetrics(registry: Registry) {
  const { counter, counterOf, gaugeOf, histogram } = metricsIn(registry);
  const delay = histogram(
    "fleet_relay_frame_delay_seconds",
    "Time that frames spend here: to_drone from arrival to the written PUBLISH, the longest of each batch; to_pilot from the message of Redis to the write to the socket.",
    [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5],
    ["direction"],
  );
  const closed = counter(
    "fleet_relay_sessions_closed_total",
    "Ended sessions by WebSocket close code; 1006 ended without a close frame.",
    ["code"],
  );
  const refused = counter("fleet_relay_sessions_refused_total", "Sessions over the limit of this relay.");

  /** Of one direction; plain numbers, since this is the hot path. */
  const flow = (direction: "to_drone" | "to_pilot") => {
    const ofDirection = delay.labels(direction);
    const own = {
      ...{ frames: 0, bytes: 0, lost: 0, delay: ofDirection },
      count: (bytes: number): void => {
        own.frames += 1;
        own.bytes += bytes;
      },
      written: (bytes: number, arrivedAt: number): void => {
        own.count(bytes);
        ofDirection.observe((performance.now() - arrivedAt) / 1_000);
      },
      dropped: (): void => {
        own.lost += 1;
      },
    };
    return own;
  };
  const [toDrone, toPilot] = [flow("to_drone"), flow("to_pilot")];
  const of = (what: "frames" | "bytes") => () => ({ to_drone: toDrone[what], to_pilot: toPilot[what] });
  const lost = () => ({ slow_drone: toDrone.lost, slow_pilot: toPilot.lost });
  counterOf("fleet_relay_frames_total", "Frames relayed, by direction.", of("frames"), "direction");
  counterOf("fleet_relay_bytes_total", "Payload bytes relayed, by direction.", of("bytes"), "direction");
  counterOf(
    "fleet_relay_dropped_frames_total",
    "Frames dropped for newer ones because their reader is too slow.",
    lost,
    "reason",
  );

  const observe = ({ sessions, channels, listening }: RelayState): void => {
    const byRoute = () => Object.fromEntries(pilotRoutes.map((route) => [route, sessions(route)]));
    gaugeOf("fleet_relay_sessions", "Open sessions by route.", byRoute, "route");
    gaugeOf("fleet_relay_subscribed_channels", "Subscribed Redis channels.", channels);
    gaugeOf("fleet_relay_database_listening", "1 while Postgres notifies of changed drones.", () =>
      Number(listening()),
    );
  };
  return { toDrone, toPilot, closed, refused, observe };
}
