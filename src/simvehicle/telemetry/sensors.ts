import { build } from "../../vehicle/mavlink/wire/codec";
import { ardupilotmega, common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { bootMillis } from "./navigation";
import type { TelemetryView } from "./system";

const GRAVITY_MILLI = 1000;
/** Northern mid-latitudes, milligauss. */
const FIELD = { north: 210, down: 430 };

interface Inertial {
  acc: readonly [number, number, number];
  gyro: readonly [number, number, number];
  mag: readonly [number, number, number];
}

/** In milli-g, milliradians per second and milligauss, body axes. */
function inertial({ body }: Flight): Inertial {
  const g = 9.80665;
  const [cy, sy] = [Math.cos(body.yaw), Math.sin(body.yaw)];
  const forward = (body.an * cy + body.ae * sy) / g;
  const right = (-body.an * sy + body.ae * cy) / g;
  const round = (value: number): number => Math.round(value);
  return {
    acc: [round(forward * 1000), round(right * 1000), round((body.ad / g) * 1000 - GRAVITY_MILLI)],
    gyro: [0, 0, round(body.yawRate * 1000)],
    mag: [round(FIELD.north * cy), round(-FIELD.north * sy), FIELD.down],
  };
}

export function rawImu({ flight }: TelemetryView): MavLinkData {
  const { acc, gyro, mag } = inertial(flight);
  return build(common.RawImu, {
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
    xacc: acc[0],
    yacc: acc[1],
    zacc: acc[2],
    xgyro: gyro[0],
    ygyro: gyro[1],
    zgyro: gyro[2],
    xmag: mag[0],
    ymag: mag[1],
    zmag: mag[2],
    id: 0,
    temperature: 4500,
  });
}

/** PX4's inertial message, in SI units and gauss. */
export function highresImu({ flight }: TelemetryView): MavLinkData {
  const { acc, gyro, mag } = inertial(flight);
  const metres = (milliG: number): number => (milliG * 9.80665) / 1000;
  return build(common.HighresImu, {
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
    xacc: metres(acc[0]),
    yacc: metres(acc[1]),
    zacc: metres(acc[2]),
    xgyro: gyro[0] / 1000,
    ygyro: gyro[1] / 1000,
    zgyro: gyro[2] / 1000,
    xmag: mag[0] / 1000,
    ymag: mag[1] / 1000,
    zmag: mag[2] / 1000,
    absPressure: pressure(flight),
    pressureAlt: flight.position.altitude,
    temperature: 45,
    fieldsUpdated: 0x1fff as common.HighresImuUpdatedFlags,
  });
}

/** Hectopascal by the standard atmosphere. */
const pressure = (flight: Flight): number => 1013.25 * (1 - 2.25577e-5 * flight.position.altitude) ** 5.25588;

/** Attitude, velocities and positions are good once there is a fix; before, a constant-position mode. */
export function ekfStatus({ flight }: TelemetryView): MavLinkData {
  return build(ardupilotmega.EkfStatusReport, {
    flags: (flight.hasPosition ? 831 : 167) as ardupilotmega.EkfStatusFlags,
    velocityVariance: 0.02,
    posHorizVariance: 0.03,
    posVertVariance: 0.02,
    compassVariance: 0.01,
    terrainAltVariance: 0,
    airspeedVariance: 0,
  });
}

/** The simulated air is still. */
export const wind = (): MavLinkData => build(ardupilotmega.Wind, { direction: 0, speed: 0, speedZ: 0 });

export const windCov = ({ flight }: TelemetryView): MavLinkData =>
  build(common.WindCov, { timeUsec: BigInt(bootMillis(flight)) * 1000n, windX: 0, windY: 0 });

export function estimatorStatus({ flight }: TelemetryView): MavLinkData {
  return build(common.EstimatorStatus, {
    timeUsec: BigInt(bootMillis(flight)) * 1000n,
    flags: (flight.hasPosition ? 831 : 167) as common.EstimatorStatusFlags,
    velRatio: 0.05,
    posHorizRatio: 0.05,
    posVertRatio: 0.05,
    magRatio: 0.05,
    posHorizAccuracy: 0.3,
    posVertAccuracy: 0.4,
  });
}
