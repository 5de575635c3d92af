import { Counter, Gauge, Histogram, type Registry } from "../platform/process/metrics";
import type { Acknowledgement } from "./stick-pilot";

export interface OnboardState {
  /** Whether the drone's channels are heard. */
  readonly listening: boolean;
  readonly autopilotHeard: boolean;
  readonly steering: boolean;
  /** Flights that are not on record yet, with the one in the air. */
  readonly flights: number;
}

export interface OnboardMetrics {
  judged(words: Acknowledgement): void;
  /** Frames stopped while somebody steered. */
  letGo(): void;
}

export function onboardMetrics(registry: Registry, state: () => OnboardState): OnboardMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (now: OnboardState) => number | boolean) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(Number(read(state())));
      },
    });
  gauge("fleet_onboard_listening", "1 while the drone's channels are heard.", (now) => now.listening);
  gauge("fleet_onboard_autopilot_heard", "1 while the autopilot is heard.", (now) => now.autopilotHeard);
  gauge("fleet_onboard_steering", "1 while a pilot steers.", (now) => now.steering);
  gauge(
    "fleet_onboard_flights_open",
    "Flights that are not on record yet, with the one in the air.",
    (now) => now.flights,
  );
  const frames = new Counter({
    name: "fleet_onboard_stick_frames_total",
    help: "Stick frames that were judged, by what was done with them.",
    labelNames: ["outcome"],
    registers,
  });
  const age = new Histogram({
    name: "fleet_onboard_stick_age_seconds",
    help: "Bound of the age of stick frames that were acted on.",
    buckets: [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
    registers,
  });
  const stops = new Counter({
    name: "fleet_onboard_dead_man_total",
    help: "Times that frames stopped while a pilot steered.",
    registers,
  });
  return {
    judged: ({ reason, age_ms }) => {
      frames.inc({ outcome: reason ?? "accepted" });
      if (reason === null && age_ms !== null) age.observe(age_ms / 1000);
    },
    letGo: () => stops.inc(),
  };
}
