import type { Acknowledgement } from "../domain/pilot-frames";
import { Counter, Gauge, Histogram, type Registry } from "../platform/process/metrics";

interface OnboardState {
  /** Whether the drone's channels are subscribed in Redis. */
  readonly subscribed: boolean;
  readonly autopilotConnected: boolean;
  readonly steering: boolean;
  /** Flights that are not recorded yet, with the one in the air. */
  readonly flights: number;
}

interface OnboardMetrics {
  frame(acknowledgement: Acknowledgement): void;
  deadMan(): void;
}

export function onboardMetrics(registry: Registry, state: () => OnboardState): OnboardMetrics {
  const registers = [registry];
  const gauges: Readonly<Record<keyof OnboardState, readonly [name: string, help: string]>> = {
    subscribed: ["fleet_onboard_redis_subscribed", "1 while the drone's channels are subscribed in Redis."],
    autopilotConnected: ["fleet_onboard_autopilot_connected", "1 while the autopilot sends heartbeats."],
    steering: ["fleet_onboard_steering", "1 while a pilot steers."],
    flights: ["fleet_onboard_flights_open", "Flights that are not recorded yet, with the one in the air."],
  };
  for (const [key, [name, help]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(Number(state()[key as keyof OnboardState]));
      },
    });
  }
  const frames = new Counter({
    name: "fleet_onboard_stick_frames_total",
    help: "Stick frames by their acknowledgement.",
    labelNames: ["outcome"],
    registers,
  });
  const age = new Histogram({
    name: "fleet_onboard_stick_age_seconds",
    help: "Upper bound of the age of accepted stick frames.",
    buckets: [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
    registers,
  });
  const stops = new Counter({
    name: "fleet_onboard_dead_man_total",
    help: "Times that the dead-man timer stopped the vehicle.",
    registers,
  });
  return {
    frame: ({ reason, age_ms }) => {
      frames.inc({ outcome: reason ?? "accepted" });
      if (reason === null && age_ms !== null) age.observe(age_ms / 1000);
    },
    deadMan: () => stops.inc(),
  };
}
