import type { FlightState } from "../flight-state";
import type { Demand } from "../kinematics";

const DEGREE = Math.PI / 180;
/** A stick this near its centre is centred. */
const DEADZONE = 0.1;
const MANUAL_LEAN_SPEED = 8;
const MANUAL_CLIMB = 4;

const outsideDeadzone = (stick: number): number =>
  Math.abs(stick) < DEADZONE ? 0 : (stick - Math.sign(stick) * DEADZONE) / (1 - DEADZONE);

/** STABILIZE and its like: the throttle is thrust, half of it hovers. */
export function manualDemand(flight: FlightState): Demand {
  const sticks = flight.pilot.sticks(flight.now);
  if (flight.kind === "rover") {
    const cruise = (flight.params.get("CRUISE_SPEED", 3) * 100) / flight.params.get("CRUISE_THROTTLE", 30);
    const fastest = flight.params.get("RO_MAX_THR_SPEED", cruise);
    return {
      kind: "drive",
      speed: outsideDeadzone(sticks.throttle) * fastest,
      yawRate: sticks.roll * flight.tuning.yawRate,
    };
  }
  if (flight.landed && sticks.throttle <= 0) return { kind: "rest" };
  return fromSticks(flight, MANUAL_LEAN_SPEED, -sticks.throttle * MANUAL_CLIMB);
}

/** ALT_HOLD, LOITER and their like: the throttle is a climb rate, its centre holds the height. */
export function climbRateDemand(flight: FlightState): Demand {
  const sticks = flight.pilot.sticks(flight.now);
  const climb = outsideDeadzone(sticks.throttle);
  if (flight.landed && climb <= 0) return { kind: "rest" };
  const up = flight.params.get("PILOT_SPD_UP", 2.5);
  const down = flight.params.get("PILOT_SPD_DN") || up;
  return fromSticks(flight, loiterSpeed(flight), climb > 0 ? -climb * up : -climb * down);
}

export const loiterSpeed = ({ params }: FlightState): number =>
  params.get("LOIT_SPEED_MS", params.get("MPC_VEL_MANUAL", 10));

function fromSticks(flight: FlightState, speed: number, vd: number): Demand {
  const { roll, pitch, yaw } = flight.pilot.sticks(flight.now);
  const forward = outsideDeadzone(pitch) * speed;
  const right = outsideDeadzone(roll) * speed;
  const { yaw: heading } = flight.body;
  return {
    kind: "velocity",
    vn: forward * Math.cos(heading) - right * Math.sin(heading),
    ve: forward * Math.sin(heading) + right * Math.cos(heading),
    vd,
    yawRate: outsideDeadzone(yaw) * flight.params.get("PILOT_Y_RATE", 120) * DEGREE,
  };
}

/** CIRCLE: around the position where it was entered, at CIRCLE_RATE degrees a second. */
export function circleDemand(flight: FlightState): Demand {
  const { guided, body, params } = flight;
  if (flight.landed) return { kind: "rest" };
  const radius = params.get("CIRCLE_RADIUS_M");
  return orbit(body, { n: guided.n, e: guided.e, d: guided.d }, radius, params.get("CIRCLE_RATE") * DEGREE);
}

/** A velocity around a centre that also closes on the circle. */
export function orbit(
  body: { n: number; e: number; d: number },
  centre: { n: number; e: number; d: number },
  radius: number,
  rate: number,
): Demand {
  const n = body.n - centre.n;
  const e = body.e - centre.e;
  const far = Math.max(0.1, Math.hypot(n, e));
  const outwards = (radius - far) * 0.5;
  const along = rate * radius;
  return {
    kind: "velocity",
    vn: (n / far) * outwards - (e / far) * along,
    ve: (e / far) * outwards + (n / far) * along,
    vd: (centre.d - body.d) * 0.5,
    yaw: Math.atan2(-e, -n),
  };
}
