import type { FlightState } from "../flight-state";
import type { Demand } from "../kinematics";

/** Straight down over one position: fast at first, slowly near the ground (LAND_SPD_MS below LAND_ALT_LOW_M). */
export function landAt(flight: FlightState, position: { n: number; e: number }): Demand {
  if (flight.landed) return { kind: "rest" };
  const { tuning, body } = flight;
  const speed = flight.relativeAltitude > tuning.landSlowBelow ? tuning.landSpeedHigh : tuning.landSpeed;
  return { kind: "velocity", vn: (position.n - body.n) * 0.5, ve: (position.e - body.e) * 0.5, vd: speed };
}
