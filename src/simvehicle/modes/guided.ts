import type { FlightState } from "../flight-state";
import type { Demand } from "../kinematics";
import { bearing } from "./return";

const REACHED = 0.2;

export function holdHere(flight: FlightState): void {
  const { body, tuning } = flight;
  const speed = Math.hypot(body.vn, body.ve);
  // Where it comes to a stop, not where it is: a vehicle at speed would otherwise fly back.
  const ahead = speed > 0 ? speed / (2 * Math.max(0.1, tuning.accel)) : 0;
  flight.guided = { kind: "hold", n: body.n + body.vn * ahead, e: body.e + body.ve * ahead, d: body.d };
}

export function guidedDemand(flight: FlightState): Demand {
  const { guided: target, body } = flight;
  if (target.kind === "takeoff" && Math.abs(body.d - target.d) < REACHED) {
    flight.guided = { ...target, kind: "hold" };
  }
  if (flight.kind === "rover") {
    const near = Math.hypot(target.n - body.n, target.e - body.e) < flight.tuning.waypointRadius;
    return target.kind === "hold" || near ? REST : { kind: "position", n: target.n, e: target.e, d: body.d };
  }
  // On the ground only a takeoff lifts it, and with PX4 a position to go to.
  const lifts = target.kind === "takeoff" || (target.kind === "position" && flight.autopilot === "px4");
  if (flight.landed && !lifts) return REST;
  const yaw = target.kind === "position" ? (target.yaw ?? bearing(flight, target)) : undefined;
  return { kind: "position", n: target.n, e: target.e, d: target.d, yaw };
}

const REST: Demand = { kind: "rest" };
