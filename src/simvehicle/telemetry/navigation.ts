import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { toHeading } from "../geo";
import { groundSpeed } from "../kinematics";

/** The time base of every message that carries one: milliseconds since power-on. */
export const bootMillis = (flight: Flight): number => Math.round(flight.time * 1000) >>> 0;

const e7 = (degrees: number): number => Math.round(degrees * 1e7);
const mm = (metres: number): number => Math.round(metres * 1000);
const cm = (metres: number): number => Math.round(metres * 100);

export function globalPosition(flight: Flight): MavLinkData {
  const { body, position } = flight;
  // Before the first fix an autopilot sends zeros.
  const known = flight.hasPosition || flight.armed;
  return build(common.GlobalPositionInt, {
    timeBootMs: bootMillis(flight),
    lat: known ? e7(position.lat) : 0,
    lon: known ? e7(position.lng) : 0,
    alt: mm(position.altitude),
    relativeAlt: mm(flight.relativeAltitude),
    vx: cm(body.vn),
    vy: cm(body.ve),
    vz: cm(body.vd),
    hdg: Math.round(toHeading(body.yaw) * 100) % 36_000,
  });
}

/** w, x, y, z of the rotation from NED to the body. */
export function quaternion({ roll, pitch, yaw }: { roll: number; pitch: number; yaw: number }): number[] {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  return [
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  ];
}

export function attitudeQuaternion(flight: Flight): MavLinkData {
  const [q1 = 1, q2 = 0, q3 = 0, q4 = 0] = quaternion(flight.body);
  return build(common.AttitudeQuaternion, {
    timeBootMs: bootMillis(flight),
    q1,
    q2,
    q3,
    q4,
    yawspeed: flight.body.yawRate,
    reprOffsetQ: [0, 0, 0, 0],
  });
}

export function hud(flight: Flight): MavLinkData {
  const { body } = flight;
  const speed = groundSpeed(body);
  return build(common.VfrHud, {
    airspeed: speed,
    groundspeed: speed,
    heading: Math.round(toHeading(body.yaw)) % 360,
    throttle: throttlePercent(flight),
    alt: flight.position.altitude,
    climb: -body.vd,
  });
}

function throttlePercent(flight: Flight): number {
  if (!flight.armed) return 0;
  const { body } = flight;
  if (flight.kind === "rover") return Math.min(100, Math.round(groundSpeed(body) * 15));
  return flight.landed ? 10 : Math.round(Math.min(90, Math.max(15, 39 - body.vd * 6)));
}

export function homePosition(flight: Flight): MavLinkData {
  const { home } = flight;
  const { n, e } = flight.local(home);
  return build(common.HomePosition, {
    latitude: e7(home.lat),
    longitude: e7(home.lng),
    altitude: mm(home.altitude),
    x: n,
    y: e,
    z: flight.downOf(0),
    q: [1, 0, 0, 0],
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
  });
}

export function gpsOrigin(flight: Flight): MavLinkData {
  const { origin } = flight;
  return build(common.GpsGlobalOrigin, {
    latitude: e7(origin.lat),
    longitude: e7(origin.lng),
    altitude: mm(origin.altitude),
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
  });
}

export function gpsRaw(flight: Flight): MavLinkData {
  const { body, position } = flight;
  const fixed = flight.hasPosition;
  return build(common.GpsRawInt, {
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
    fixType: fixed ? common.GpsFixType.RTK_FIXED : common.GpsFixType.NO_FIX,
    lat: fixed ? e7(position.lat) : 0,
    lon: fixed ? e7(position.lng) : 0,
    alt: fixed ? mm(position.altitude) : 0,
    eph: fixed ? 121 : 65_535,
    epv: fixed ? 200 : 65_535,
    vel: cm(groundSpeed(body)),
    cog: Math.round(toHeading(Math.atan2(body.ve, body.vn)) * 100) % 36_000,
    satellitesVisible: fixed ? 10 : 3,
    altEllipsoid: 0,
    hAcc: 300,
    vAcc: 300,
    velAcc: 40,
    yaw: 0,
  });
}

/** Where the active mode is heading. */
export function positionTarget(flight: Flight): MavLinkData {
  const { guided } = flight;
  const target = guided.kind === "velocity" ? flight.here() : guided;
  const position = flight.globalOf(target);
  return build(common.PositionTargetGlobalInt, {
    timeBootMs: bootMillis(flight),
    coordinateFrame: common.MavFrame.GLOBAL,
    typeMask: 0xdf8 as common.PositionTargetTypemask,
    latInt: e7(position.lat),
    lonInt: e7(position.lng),
    alt: position.altitude,
  });
}
