import { DomainError } from "../domain/errors";
import { MavCommand, type MissionItem } from "../domain/mission-item";

/** A waypoint as it is stored. Degrees and metres. */
export interface Waypoint {
  readonly lat: number;
  readonly lng: number;
  readonly altitude: number;
  readonly type: string;
  readonly sequence: number;
  readonly label?: string | null;
  readonly frame: number;
  readonly command: number;
  readonly is_current: boolean;
  readonly autocontinue: boolean;
  readonly param1: number;
  readonly param2: number;
  readonly param3: number;
  readonly param4: number;
}

/** A vertex or a circle's centre as it is stored; a circle's `param1` is its radius in metres. */
export interface FencePoint {
  readonly lat: number;
  readonly lng: number;
  readonly sequence: number;
  readonly frame: number;
  readonly command: number;
  readonly param1: number;
  readonly param2: number;
  readonly param3: number;
  readonly param4: number;
}

export interface Geofence {
  readonly name?: string;
  readonly type: "polygon" | "circle";
  readonly fence_type: "inclusion" | "exclusion";
  readonly enabled: boolean;
  readonly geofence_points: readonly FencePoint[];
}

const inSequence = <T extends { readonly sequence: number }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => a.sequence - b.sequence);

/**
 * Stored waypoints as the plan to fly, in `sequence` order and otherwise unchanged. A copter needs a takeoff
 * first: when the first waypoint is none, one is put before it, at the place, height and frame of the first row
 * that is flown to above 0 m: a speed or a ground point at the beginning is no height to climb to. Nothing else
 * is added; what the vehicle does at the end is the pilot's word.
 *
 * Throws `invalid_input` when no row says how high to climb.
 */
export function toFlightPlan(waypoints: readonly Waypoint[], kind: "copter" | "rover"): MissionItem[] {
  const plan = inSequence(waypoints).map(toItem);
  const [first] = plan;
  if (!first || kind === "rover" || first.command === MavCommand.takeoff) return plan;
  const aloft = plan.find(({ command, z_alt }) => flownTo.has(command) && z_alt > 0);
  if (!aloft) {
    throw new DomainError(
      "invalid_input",
      "No waypoint of the mission lies above 0 m, so it does not say how high to take off.",
    );
  }
  const takeoff: MissionItem = {
    ...aloft,
    command: MavCommand.takeoff,
    is_current: false,
    autocontinue: true,
    param1: 0,
    param2: 0,
    param3: 0,
    param4: 0,
  };
  return [takeoff, ...plan];
}

/** MAV_CMD_NAV_WAYPOINT, LOITER_UNLIM, LOITER_TURNS, LOITER_TIME and SPLINE_WAYPOINT: rows with a place in the air. */
const flownTo: ReadonlySet<number> = new Set([MavCommand.waypoint, 17, 18, 19, 82]);

const toItem = (row: Waypoint): MissionItem => ({
  command: row.command,
  frame: row.frame,
  is_current: row.is_current,
  autocontinue: row.autocontinue,
  param1: row.param1,
  param2: row.param2,
  param3: row.param3,
  param4: row.param4,
  x_lat: row.lat,
  y_long: row.lng,
  z_alt: row.altitude,
});

/**
 * Stored geofences as fence items, those that are switched off left out. Command and param1 are derived:
 * 5001 and 5002 with the vertex count, 5003 and 5004 with the radius. Fences are flat: z is 0.
 *
 * Throws `invalid_input` for a polygon of fewer than three vertices and a circle without a positive radius.
 */
export function toFence(geofences: readonly Geofence[]): MissionItem[] {
  return geofences.filter(({ enabled }) => enabled).flatMap(shapeOf);
}

function shapeOf(geofence: Geofence): MissionItem[] {
  const points = inSequence(geofence.geofence_points);
  const called = geofence.name === undefined ? "A geofence" : `The geofence "${geofence.name}"`;
  const inclusion = geofence.fence_type === "inclusion";
  if (geofence.type === "polygon") {
    if (points.length < 3) {
      throw new DomainError(
        "invalid_input",
        `${called} is a polygon and needs at least 3 vertices; it has ${points.length}.`,
      );
    }
    const command = inclusion ? MavCommand.polygonInclusion : MavCommand.polygonExclusion;
    return points.map((point) => toFenceItem(point, command, points.length));
  }
  const command = inclusion ? MavCommand.circleInclusion : MavCommand.circleExclusion;
  if (points.length === 0) throw new DomainError("invalid_input", `${called} is a circle without a centre.`);
  return points.map((point) => {
    if (!(point.param1 > 0)) {
      throw new DomainError(
        "invalid_input",
        `${called} is a circle of radius ${point.param1} m (param1 of its point); it must be positive.`,
      );
    }
    return toFenceItem(point, command, point.param1);
  });
}

const toFenceItem = (point: FencePoint, command: number, param1: number): MissionItem => ({
  command,
  frame: point.frame,
  is_current: false,
  autocontinue: true,
  param1,
  param2: point.param2,
  param3: point.param3,
  param4: point.param4,
  x_lat: point.lat,
  y_long: point.lng,
  z_alt: 0,
});
