import type { FlightState, ReturnLeg } from "../flight-state";
import type { Demand } from "../kinematics";
import { landAt } from "./land";

const ARRIVED = 1;

export function beginReturn(flight: FlightState): void {
  enter(flight, "climb");
  flight.guided = { kind: "hold", ...flight.here(), d: flight.downOf(returnAltitude(flight)) };
}

/** Climb, travel home, wait, come down. A rover just drives home. */
export function returnHome(flight: FlightState): Demand {
  const { body, tuning, guided } = flight;
  const home = flight.local(flight.home);
  if (flight.kind === "rover") {
    return Math.hypot(home.n - body.n, home.e - body.e) < tuning.waypointRadius
      ? { kind: "rest" }
      : { kind: "position", ...home, d: body.d };
  }
  if (flight.landed) return { kind: "rest" };
  const height = guided.kind === "hold" ? guided.d : body.d;
  switch (flight.returnLeg) {
    case "climb":
      if (body.d <= height + 0.5) enter(flight, "travel");
      return { ...guidedPosition(flight), d: height };
    case "travel":
      if (Math.hypot(home.n - body.n, home.e - body.e) < ARRIVED) enter(flight, "wait");
      return { kind: "position", ...home, d: height, yaw: bearing(flight, home) };
    case "wait":
      if (flight.time - flight.legSince >= tuning.returnLoiter) enter(flight, "descend");
      return { kind: "position", ...home, d: height };
    case "descend":
      return landAt(flight, home);
  }
}

/**
 * Metres above home at which it travels: RTL_ALT, but never below where it is, and near home no higher than
 * the cone of slope RTL_CONE_SLOPE (2 m at least).
 */
export function returnAltitude(flight: FlightState): number {
  const above = flight.relativeAltitude;
  const home = flight.local(flight.home);
  const far = Math.hypot(home.n - flight.body.n, home.e - flight.body.e);
  const wanted = flight.tuning.returnAltitude;
  if (flight.autopilot === "px4") {
    return far < flight.params.get("RTL_MIN_DIST") ? above : Math.max(above, wanted);
  }
  const slope = flight.params.get("RTL_CONE_SLOPE");
  const allowed = slope >= 0.5 ? Math.max(2, far * slope) : wanted;
  return Math.max(above, Math.min(wanted, allowed));
}

function enter(flight: FlightState, leg: ReturnLeg): void {
  flight.returnLeg = leg;
  flight.legSince = flight.time;
}

function guidedPosition(flight: FlightState): { kind: "position"; n: number; e: number } {
  const { guided, body } = flight;
  return guided.kind === "hold"
    ? { kind: "position", n: guided.n, e: guided.e }
    : { kind: "position", n: body.n, e: body.e };
}

/** Radians towards a position, or the current heading when the position is too near. */
export function bearing(flight: FlightState, position: { n: number; e: number }): number {
  const n = position.n - flight.body.n;
  const e = position.e - flight.body.e;
  return Math.hypot(n, e) < 2 ? flight.body.yaw : Math.atan2(e, n);
}
