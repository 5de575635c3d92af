import { wrapPi } from "./geo";

/** Position and velocity in metres and metres per second, local NED; attitude in radians. Mutated by the steps. */
export interface Body {
  n: number;
  e: number;
  /** Down: altitude above the origin is `-d`. */
  d: number;
  vn: number;
  ve: number;
  vd: number;
  roll: number;
  pitch: number;
  yaw: number;
  yawRate: number;
  /** Acceleration, for the inertial sensors. */
  an: number;
  ae: number;
  ad: number;
}

export const restingBody = (yaw = 0): Body => ({
  n: 0,
  e: 0,
  d: 0,
  vn: 0,
  ve: 0,
  vd: 0,
  roll: 0,
  pitch: 0,
  yaw,
  yawRate: 0,
  an: 0,
  ae: 0,
  ad: 0,
});

/** SI units throughout. */
export interface Limits {
  speed: number;
  speedUp: number;
  speedDown: number;
  accel: number;
  accelZ: number;
  /** Radians per second. */
  yawRate: number;
}

/** The setpoint of the active mode until the next step. */
export type Demand =
  | { readonly kind: "rest" }
  | {
      readonly kind: "position";
      readonly n: number;
      readonly e: number;
      readonly d: number;
      readonly yaw?: number;
    }
  | {
      readonly kind: "velocity";
      readonly vn: number;
      readonly ve: number;
      readonly vd: number;
      readonly yaw?: number;
      readonly yawRate?: number;
    }
  /** Of a rover: metres per second along its nose, radians per second. */
  | { readonly kind: "drive"; readonly speed: number; readonly yawRate: number };

const GRAVITY = 9.80665;

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The fastest speed from which the distance still suffices to stop. */
const approachSpeed = (distance: number, accel: number): number =>
  // Near the target the square root is too steep for a discrete step: a linear slope takes over.
  distance < accel ? distance : Math.sqrt(2 * accel * distance - accel * accel);

/** Advance a multicopter by `dt` seconds towards the demand, within its limits. */
export function stepCopter(body: Body, demand: Demand, limits: Limits, dt: number): void {
  const wanted = wantedVelocity(body, demand, limits);
  const horizontal = changeWithin(wanted.vn - body.vn, wanted.ve - body.ve, limits.accel * dt);
  const vertical = clamp(wanted.vd - body.vd, -limits.accelZ * dt, limits.accelZ * dt);
  body.an = horizontal.n / dt;
  body.ae = horizontal.e / dt;
  body.ad = vertical / dt;
  body.vn += horizontal.n;
  body.ve += horizontal.e;
  body.vd += vertical;
  move(body, dt);
  turn(body, demand, limits.yawRate, dt);
  lean(body, dt);
}

/** Keep a body that touches the ground on it. Returns whether it does. */
export function settleOnGround(body: Body, groundD = 0): boolean {
  if (body.d < groundD) return false;
  body.d = groundD;
  if (body.vd > 0) body.vd = 0;
  body.vn = 0;
  body.ve = 0;
  return true;
}

/** Advance a skid-steered rover: it moves only along its nose and slows down to turn. */
export function stepRover(body: Body, demand: Demand, limits: Limits, dt: number): void {
  const forward = body.vn * Math.cos(body.yaw) + body.ve * Math.sin(body.yaw);
  const { speed, yawRate } = roverDemand(body, demand, limits);
  const change = clamp(speed - forward, -limits.accel * dt, limits.accel * dt);
  body.yawRate = clamp(yawRate, -limits.yawRate, limits.yawRate);
  body.yaw = wrapPi(body.yaw + body.yawRate * dt);
  const next = forward + change;
  body.vn = next * Math.cos(body.yaw);
  body.ve = next * Math.sin(body.yaw);
  body.vd = 0;
  body.an = (change / dt) * Math.cos(body.yaw);
  body.ae = (change / dt) * Math.sin(body.yaw);
  body.ad = 0;
  move(body, dt);
}

export const groundSpeed = (body: Body): number => Math.hypot(body.vn, body.ve);

function wantedVelocity(body: Body, demand: Demand, limits: Limits): { vn: number; ve: number; vd: number } {
  if (demand.kind === "velocity") {
    const scale = Math.min(1, limits.speed / Math.max(1e-6, Math.hypot(demand.vn, demand.ve)));
    return {
      vn: demand.vn * scale,
      ve: demand.ve * scale,
      vd: clamp(demand.vd, -limits.speedUp, limits.speedDown),
    };
  }
  if (demand.kind !== "position") return { vn: 0, ve: 0, vd: 0 };
  const n = demand.n - body.n;
  const e = demand.e - body.e;
  const d = demand.d - body.d;
  const length = Math.hypot(n, e, d);
  if (length < 1e-3) return { vn: 0, ve: 0, vd: 0 };
  const across = Math.hypot(n, e) / length;
  const down = Math.abs(d) / length;
  // One speed along the straight line: the slower axis sets it, so both arrive together.
  const speed = Math.min(
    across > 1e-6 ? limits.speed / across : Number.POSITIVE_INFINITY,
    down > 1e-6 ? (d < 0 ? limits.speedUp : limits.speedDown) / down : Number.POSITIVE_INFINITY,
    approachSpeed(length, across > down ? limits.accel : limits.accelZ),
  );
  return { vn: (n / length) * speed, ve: (e / length) * speed, vd: (d / length) * speed };
}

function roverDemand(body: Body, demand: Demand, limits: Limits): { speed: number; yawRate: number } {
  if (demand.kind === "drive") {
    return { speed: clamp(demand.speed, -limits.speed, limits.speed), yawRate: demand.yawRate };
  }
  if (demand.kind === "rest") return { speed: 0, yawRate: 0 };
  const [n, e] = demand.kind === "position" ? [demand.n - body.n, demand.e - body.e] : [demand.vn, demand.ve];
  const length = Math.hypot(n, e);
  const reach = demand.kind === "position" ? approachSpeed(length, limits.accel) : length;
  if (length < 0.05) return { speed: 0, yawRate: 0 };
  const error = wrapPi(Math.atan2(e, n) - body.yaw);
  const speed = Math.min(limits.speed, reach) * Math.max(0, Math.cos(error));
  return { speed, yawRate: error * 2 };
}

function changeWithin(n: number, e: number, most: number): { n: number; e: number } {
  const length = Math.hypot(n, e);
  if (length <= most) return { n, e };
  return { n: (n / length) * most, e: (e / length) * most };
}

function move(body: Body, dt: number): void {
  body.n += body.vn * dt;
  body.e += body.ve * dt;
  body.d += body.vd * dt;
}

function turn(body: Body, demand: Demand, most: number, dt: number): void {
  const asked =
    demand.kind === "velocity" && demand.yawRate !== undefined
      ? demand.yawRate
      : "yaw" in demand && demand.yaw !== undefined
        ? wrapPi(demand.yaw - body.yaw) / Math.max(dt, 0.2)
        : 0;
  body.yawRate = clamp(asked, -most, most);
  body.yaw = wrapPi(body.yaw + body.yawRate * dt);
}

/** A multicopter leans into its acceleration; the first-order lag stands for its inertia. */
function lean(body: Body, dt: number): void {
  const forward = body.an * Math.cos(body.yaw) + body.ae * Math.sin(body.yaw);
  const right = -body.an * Math.sin(body.yaw) + body.ae * Math.cos(body.yaw);
  const share = 1 - Math.exp(-dt / 0.15);
  body.pitch += (Math.atan2(-forward, GRAVITY) - body.pitch) * share;
  body.roll += (Math.atan2(right, GRAVITY) - body.roll) * share;
}
