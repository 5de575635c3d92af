import { fromEuler } from "../../vehicle/mavlink/telemetry/imu";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { toHeading } from "../geo";
import { groundSpeed } from "../kinematics";
import { missionTarget } from "../modes/auto";
import type { TelemetryView } from "./system";

/** The time base of every message that carries one: milliseconds since power-on. */
export const bootMillis = (flight: Flight): number => Math.round(flight.time * 1000) >>> 0;

const e7 = (degrees: number): number => Math.round(degrees * 1e7);
const mm = (metres: number): number => Math.round(metres * 1000);
const cm = (metres: number): number => Math.round(metres * 100);

export function globalPosition({ flight }: TelemetryView): MavLinkData {
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

export function attitudeQuaternion({ flight }: TelemetryView): MavLinkData {
  const { roll, pitch, yaw, yawRate } = flight.body;
  const { w, x, y, z } = fromEuler(roll, pitch, yaw);
  return build(common.AttitudeQuaternion, {
    timeBootMs: bootMillis(flight),
    q1: w,
    q2: x,
    q3: y,
    q4: z,
    yawspeed: yawRate,
    reprOffsetQ: [0, 0, 0, 0],
  });
}

export function hud({ flight }: TelemetryView): MavLinkData {
  const { body } = flight;
  const speed = groundSpeed(body);
  return build(common.VfrHud, {
    // It has no sensor for it; ArduPilot takes the speed over ground instead.
    airspeed: flight.autopilot === "px4" ? Number.NaN : speed,
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

export function homePosition({ flight }: TelemetryView): MavLinkData {
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

export function gpsOrigin({ flight }: TelemetryView): MavLinkData {
  const { origin } = flight;
  return build(common.GpsGlobalOrigin, {
    latitude: e7(origin.lat),
    longitude: e7(origin.lng),
    altitude: mm(origin.altitude),
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
  });
}

export function gpsRaw({ flight }: TelemetryView): MavLinkData {
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

/** Where the active mode is heading. ArduCopter 4.7-dev takes the offset from the origin for centimetres: 100 times too near. */
export function navController({ flight }: TelemetryView): MavLinkData {
  const target = missionTarget(flight);
  const { n, e } = flight.body;
  return build(common.NavControllerOutput, {
    wpDist: target ? Math.round(Math.hypot(target.n - n, target.e - e)) : 0,
  });
}

export function positionTarget({ flight }: TelemetryView): MavLinkData {
  const { n, e, d } = missionTarget(flight) ?? flight.guided;
  const scale = flight.autopilot === "ardupilot" && flight.kind === "copter" ? 0.01 : 1;
  const position = flight.globalOf({ n: n * scale, e: e * scale, d: d * scale });
  return build(common.PositionTargetGlobalInt, {
    timeBootMs: bootMillis(flight),
    coordinateFrame: common.MavFrame.GLOBAL,
    typeMask: 0xdf8 as common.PositionTargetTypemask,
    latInt: e7(position.lat),
    lonInt: e7(position.lng),
    alt: position.altitude,
  });
}
