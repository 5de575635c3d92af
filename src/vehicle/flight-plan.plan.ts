import { DomainError } from "../domain/errors";
import { MavCommand, type MissionItem, PLAIN_ITEM, rowName } from "../domain/mission-item";

/** A vertex or a circle's centre as it is stored; a circle's `param1` is its radius in metres. */
export interface FencePoint extends Pick<MissionItem, "command" | "frame" | "param1" | "param2" | "param3"> {
  /** Null: the vehicle chooses. */
  readonly param4: number | null;
  /** Degrees. */
  readonly lat: number;
  readonly lng: number;
  readonly sequence: number;
}

/** A waypoint as it is stored. */
export interface Waypoint extends FencePoint {
  /** Metres, in the frame. */
  readonly altitude: number;
  readonly type: string;
  readonly label?: string | null;
  readonly is_current: boolean;
  readonly autocontinue: boolean;
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
 * first: when the first waypoint is not one, one is put before it, at the position, height and frame of the first row
 * that is flown to above 0 m: a speed or a ground point at the beginning is no height to climb to. Nothing else
 * is added; the pilot chooses the end of the flight. Jumps lead to the rows that they led to without the takeoff.
 *
 * Throws `invalid_input` when no row says how high to climb, and for a jump to no row.
 */
export function toFlightPlan(waypoints: readonly Waypoint[], kind: "copter" | "rover"): MissionItem[] {
  const plan = inSequence(waypoints).map(toItem);
  for (const [index, item] of plan.entries()) assertJump(item, index, plan.length);
  const [first] = plan;
  if (!first || kind === "rover" || first.command === MavCommand.takeoff) return plan;
  const aloft = plan.find(({ command, z_alt }) => flownTo.has(command) && z_alt > 0);
  if (!aloft) {
    throw new DomainError(
      "invalid_input",
      "No waypoint of the mission lies above 0 m, so it does not say how high to take off.",
    );
  }
  const { row, ...item } = aloft;
  return [
    { ...item, ...PLAIN_ITEM, param4: Number.NaN, command: MavCommand.takeoff },
    ...plan.map(behindOneMore),
  ];
}

function assertJump(item: MissionItem, index: number, rows: number): void {
  const { command, param1 } = item;
  if (command !== MavCommand.jump || (Number.isInteger(param1) && param1 >= 1 && param1 <= rows)) return;
  throw new DomainError(
    "invalid_input",
    `${rowName(item, index)}: DO_JUMP leads to ${param1}, which is no place of the mission; places are counted from 1.`,
  );
}

const behindOneMore = (item: MissionItem): MissionItem =>
  item.command === MavCommand.jump ? { ...item, param1: item.param1 + 1 } : item;

/** MAV_CMD_NAV_WAYPOINT, LOITER_UNLIM, LOITER_TURNS, LOITER_TIME and SPLINE_WAYPOINT: rows with a position in the air. */
const flownTo: ReadonlySet<number> = new Set([MavCommand.waypoint, 17, 18, 19, 82]);

const toItem = ({ lat, lng, altitude, is_current, autocontinue, ...row }: Waypoint): MissionItem => ({
  ...mavlinkFields(row),
  row: { sequence: row.sequence },
  is_current,
  autocontinue,
  x_lat: lat,
  y_long: lng,
  z_alt: altitude,
});

const mavlinkFields = ({
  command,
  frame,
  param1,
  param2,
  param3,
  param4,
}: Omit<FencePoint, "lat" | "lng">) => ({
  command,
  frame,
  param1,
  param2,
  param3,
  param4: param4 ?? Number.NaN,
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
    return points.map((point) => toFenceItem(point, command, points.length, geofence.name));
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
    return toFenceItem(point, command, point.param1, geofence.name);
  });
}

const toFenceItem = (
  { lat, lng, ...point }: FencePoint,
  command: number,
  param1: number,
  geofence: string | undefined,
): MissionItem => ({
  ...mavlinkFields(point),
  row: { sequence: point.sequence, geofence },
  command,
  param1,
  is_current: false,
  autocontinue: true,
  x_lat: lat,
  y_long: lng,
  z_alt: 0,
});
