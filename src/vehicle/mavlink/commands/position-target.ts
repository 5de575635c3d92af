import { distance, offsetBetween, offsetBy } from "../../../domain/geo";
import type { common } from "../wire/messages";

/** The autopilot computes in floats and centimetres, and the height of home against the origin drifts. */
const TOLERANCE_M = { across: 0.5, up: 1.5 };

/** ArduCopter 4.7-dev reports its target this many times too near to the origin: metres where centimetres are meant. */
const FAULT = 100;
/** The resolution of a faulty report: degrees × 1e7, and centimetres. */
const FAULTY_TOLERANCE_M = { across: 0.03, up: 0.02 };

/** Degrees, and metres above mean sea level where the height matters. */
export interface Target {
  readonly lat: number;
  readonly lng: number;
  readonly altitude?: number;
}

/** Whether a vehicle reports this target as its own. With `origin`, a report with the fault of scale counts too. */
export function isTarget(
  reported: common.PositionTargetGlobalInt,
  target: Target,
  origin?: Required<Target>,
): boolean {
  if (isAt(reported, target, TOLERANCE_M)) return true;
  if (!origin || target.altitude === undefined) return false;
  const { north, east } = offsetBetween(origin, target);
  const shrunk = {
    ...offsetBy(origin, north / FAULT, east / FAULT),
    altitude: origin.altitude + (target.altitude - origin.altitude) / FAULT,
  };
  return isAt(reported, shrunk, FAULTY_TOLERANCE_M);
}

/** For the error of an order whose target the vehicle did not take. */
export const targetKept = ({ latInt, lonInt, alt }: common.PositionTargetGlobalInt): string =>
  `its target is ${latInt / 1e7}, ${lonInt / 1e7} at ${alt.toFixed(1)} m`;

function isAt(
  { latInt, lonInt, alt }: common.PositionTargetGlobalInt,
  position: Target,
  within: { across: number; up: number },
): boolean {
  const near = distance(position, { lat: latInt / 1e7, lng: lonInt / 1e7 }) < within.across;
  return near && (position.altitude === undefined || Math.abs(alt - position.altitude) < within.up);
}
