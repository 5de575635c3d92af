import { common } from "../vehicle/mavlink/wire/messages";
import type { Flight } from "./flight";
import { holdHere } from "./modes/guided";
import { breaksFence } from "./safety/fence";

const { MavFrame } = common;
/** POSITION_TARGET_TYPEMASK: the fields of the message to ignore. */
const IGNORE = { position: 0x7, velocity: 0x38, yaw: 0x400, yawRate: 0x800 } as const;
const GUIDED_TIMEOUT = 3;

type Velocity = Pick<common.SetPositionTargetLocalNed, "vx" | "vy" | "vz" | "yaw" | "yawRate">;

/** SET_POSITION_TARGET_LOCAL_NED: obeyed in GUIDED (PX4: OFFBOARD) only, and never answered. */
export function localSetpoint(flight: Flight, message: common.SetPositionTargetLocalNed): void {
  flight.noteSetpoint();
  if (!obeys(flight)) return;
  const { coordinateFrame: frame, typeMask } = message;
  if (!LOCAL_FRAMES.has(frame)) {
    holdHere(flight);
    return;
  }
  const { body } = flight;
  const turned = frame === MavFrame.BODY_NED || frame === MavFrame.BODY_OFFSET_NED;
  if ((typeMask & IGNORE.position) === 0) {
    const offset = turned ? toNorth(message.x, message.y, body.yaw) : { n: message.x, e: message.y };
    // Only LOCAL_NED counts from the origin; the others count from where the vehicle is.
    const base = frame === MavFrame.LOCAL_NED ? { n: 0, e: 0, d: 0 } : flight.here();
    sendTo(flight, base.n + offset.n, base.e + offset.e, base.d + message.z, yawOf(message, typeMask));
  } else if ((typeMask & IGNORE.velocity) === 0) {
    moveAt(flight, message, typeMask, turned);
  }
}

/** SET_POSITION_TARGET_GLOBAL_INT, likewise. */
export function globalSetpoint(flight: Flight, message: common.SetPositionTargetGlobalInt): void {
  flight.noteSetpoint();
  if (!obeys(flight)) return;
  const { coordinateFrame: frame, typeMask } = message;
  if ((typeMask & IGNORE.position) === 0) {
    const position = { lat: message.latInt / 1e7, lng: message.lonInt / 1e7 };
    if (Math.abs(position.lat) > 90 || Math.abs(position.lng) > 180) return;
    const absolute = frame === MavFrame.GLOBAL || frame === MavFrame.GLOBAL_INT;
    const d = absolute ? flight.origin.altitude - message.alt : flight.downOf(message.alt);
    const { n, e } = flight.local(position);
    sendTo(flight, n, e, d, yawOf(message, typeMask));
  } else if ((typeMask & IGNORE.velocity) === 0) {
    moveAt(flight, message, typeMask, false);
  }
}

const LOCAL_FRAMES = new Set<number>([
  MavFrame.LOCAL_NED,
  MavFrame.LOCAL_OFFSET_NED,
  MavFrame.BODY_NED,
  MavFrame.BODY_OFFSET_NED,
]);

const obeys = ({ autopilot, mode }: Flight): boolean =>
  autopilot === "px4" ? mode.name === "OFFBOARD" : mode.behaviour === "guided";

function sendTo(flight: Flight, n: number, e: number, d: number, yaw: number | undefined): void {
  if (![n, e, d].every(Number.isFinite)) return;
  const fenced = flight.params.get("FENCE_ENABLE") === 1;
  if (fenced && breaksFence(flight.fence, flight.globalOf({ n, e, d }))) return;
  flight.guided = { kind: "position", n, e, d, yaw };
}

function moveAt(flight: Flight, message: Velocity, typeMask: number, turned: boolean): void {
  const { vx, vy, vz } = message;
  if (![vx, vy, vz].every(Number.isFinite)) return;
  const { n, e } = turned ? toNorth(vx, vy, flight.body.yaw) : { n: vx, e: vy };
  flight.guided = {
    kind: "velocity",
    vn: n,
    ve: e,
    vd: vz,
    yaw: yawOf(message, typeMask),
    yawRate: (typeMask & IGNORE.yawRate) === 0 ? message.yawRate : undefined,
    until: flight.now + flight.params.get("GUID_TIMEOUT", GUIDED_TIMEOUT) * 1000,
  };
}

const yawOf = ({ yaw }: { yaw: number }, typeMask: number): number | undefined =>
  (typeMask & IGNORE.yaw) === 0 ? yaw : undefined;

const toNorth = (forward: number, right: number, yaw: number): { n: number; e: number } => ({
  n: forward * Math.cos(yaw) - right * Math.sin(yaw),
  e: forward * Math.sin(yaw) + right * Math.cos(yaw),
});
