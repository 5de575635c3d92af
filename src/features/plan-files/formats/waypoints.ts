import { MavCommand } from "../../../domain/mission-item";
import type { Geofence } from "../../geofences";
import type { Mission } from "../../missions";
import { PLAN_LIMITS } from "../../plans";
import { type FileItem, paramsOf, waypointOf, withJumps } from "./items";
import {
  type LeftOutList,
  parseNumber,
  type ReadGeofence,
  type ReadGeofences,
  type ReadMission,
  refuseFile,
  type WrittenFile,
} from "./plan-file";

/**
 * Mission Planner's `.waypoints`: a line for each item, of twelve columns between tabs or spaces. Row 0 is home. Geofences
 * are in it as their MAVLink items.
 */

const HEADER = "QGC WPL 110";
const COLUMNS = 12;
/** MAV_CMD_NAV_FENCE_RETURN_POINT and MAV_CMD_NAV_RALLY_POINT. */
const [RETURN_POINT, RALLY_POINT] = [5000, 5100];

interface Row extends FileItem {
  readonly row: number;
}

/** Throws `invalid_input` with the line. */
export function readWaypoints(text: string, leftOut: LeftOutList): ReadMission {
  const rows = rowsOf(text, PLAN_LIMITS.pointsOfPlan + 1);
  const [home, ...items] = rows;
  if (home) leftOut.add(home.at, "home", "A drone has its own home.");
  const kept = items.filter(({ at, command }) => {
    const isOther = isFence(command) || command === RETURN_POINT || command === RALLY_POINT;
    if (isOther) leftOut.add(at, `command ${command}`, "It is no item of a mission.");
    return !isOther;
  });
  const points = kept.map((item) => waypointOf(item, leftOut));
  const places = new Map(kept.map(({ row }, index) => [row, index + 1]));
  return { points: withJumps(points, places) };
}

const SHAPES: Readonly<Record<number, Pick<Geofence, "type" | "fence_type">>> = {
  [MavCommand.polygonInclusion]: { type: "polygon", fence_type: "inclusion" },
  [MavCommand.polygonExclusion]: { type: "polygon", fence_type: "exclusion" },
  [MavCommand.circleInclusion]: { type: "circle", fence_type: "inclusion" },
  [MavCommand.circleExclusion]: { type: "circle", fence_type: "exclusion" },
};

const isFence = (command: number): boolean => SHAPES[command] !== undefined;

/** Throws `invalid_input` with the line. Files of a fence may be without home. */
export function readWaypointFences(text: string, leftOut: LeftOutList): ReadGeofences {
  const rows = rowsOf(text, PLAN_LIMITS.points + 1);
  const geofences: ReadGeofence[] = [];
  for (let at = 0; at < rows.length; ) {
    const row = rows[at] as Row;
    const shape = SHAPES[row.command];
    if (!shape) {
      const isHome = row.row === 0;
      const why = isHome ? "A drone has its own home." : "It is no vertex and no circle of a geofence.";
      leftOut.add(row.at, isHome ? "home" : `command ${row.command}`, why);
      at += 1;
      continue;
    }
    const count = shape.type === "circle" ? 1 : verticesAt(rows, at);
    const points = rows.slice(at, at + count).map(vertexOf);
    geofences.push({ at: row.at, ...shape, points, ...(shape.type === "circle" ? radiusOf(row) : {}) });
    at += count;
  }
  return { geofences };
}

const radiusOf = ({ params: [radius] }: Row) => ({ radius: radius ?? 0 });

/** The length of the polygon that begins at this row: each of its rows says it. */
function verticesAt(rows: readonly Row[], start: number): number {
  const { at, command, params } = rows[start] as Row;
  const count = params[0] ?? 0;
  if (!Number.isInteger(count) || count < 3)
    refuseFile(at, "a polygon's first parameter is its number of vertices, at least 3");
  for (let index = start; index < start + count; index++) {
    const row = rows[index];
    if (row?.command !== command || row.params[0] !== count)
      refuseFile(row?.at ?? at, `the polygon of ${at} has ${count} vertices, and this is not its next one`);
  }
  return count;
}

function vertexOf({ at, frame, params }: Row) {
  const [lat, lng] = params.slice(4);
  if (lat == null || lng == null) refuseFile(at, "the vertex has no position");
  return { lat, lng, frame };
}

/** The rows of the file, home included. Throws `invalid_input` with the line. */
function rowsOf(text: string, most: number): Row[] {
  const rows: Row[] = [];
  let [start, line] = [0, 0];
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const content = text.slice(start, end < 0 ? text.length : end).trim();
    start = end < 0 ? text.length : end + 1;
    line += 1;
    if (line === 1 && content !== HEADER) refuseFile("line 1", `must be ${HEADER}`);
    if (line === 1 || content === "" || content.startsWith("#")) continue;
    if (rows.length === most) refuseFile(`line ${line}`, `the file has more than ${most - 1} points`);
    rows.push(rowOf(content, `line ${line}`, rows.length));
  }
  return rows;
}

function rowOf(content: string, at: string, place: number): Row {
  const columns = content.split(/[\t ]+/, COLUMNS + 1);
  if (columns.length !== COLUMNS) refuseFile(at, `must have ${COLUMNS} columns`);
  const values = columns.map((column) => (/^nan$/i.test(column) ? null : (parseNumber(column) ?? undefined)));
  const wrong = values.indexOf(undefined);
  if (wrong >= 0) refuseFile(at, `column ${wrong + 1} is not a number`);
  const [row, current, frame, command, ...rest] = values as (number | null)[];
  if (row !== place) refuseFile(at, `must be row ${place}: rows are counted from 0, which is home`);
  const params = rest.slice(0, 7);
  if (frame == null || command == null) refuseFile(at, "has no frame or no command");
  return { at, row, command, frame, params, is_current: current === 1, autocontinue: rest[7] !== 0 };
}

/** Home is the position of the first waypoint that has one. */
export function writeWaypoints({ mission_points }: Mission): WrittenFile {
  const home = mission_points.find(({ lat, lng, frame }) => (lat !== 0 || lng !== 0) && frame !== 2);
  const rows = mission_points.map((point) => {
    const { is_current, frame, command, autocontinue } = point;
    const params = paramsOf(point).map((value) => value ?? "NaN");
    return [Number(is_current), frame, command, ...params, Number(autocontinue)];
  });
  const leftOut = [
    ...(mission_points.some(({ type }) => type !== "fly") ? ["type"] : []),
    ...(mission_points.some(({ label }) => label !== null) ? ["label"] : []),
  ];
  return { text: fileOf(home, rows), leftOut: ["name", ...leftOut] };
}

export function writeWaypointFence(geofence: Geofence): WrittenFile {
  const { type, fence_type, enabled, geofence_points: points } = geofence;
  const [command] = Object.entries(SHAPES).find(
    ([, shape]) => shape.type === type && shape.fence_type === fence_type,
  ) as [string, unknown];
  const rows = points.map(({ lat, lng, frame, param1 }) => {
    const first = type === "circle" ? param1 : points.length;
    return [0, frame, command, first, 0, 0, 0, lat, lng, 0, 1];
  });
  return { text: fileOf(points[0], rows), leftOut: ["name", ...(enabled ? [] : ["enabled"])] };
}

function fileOf(
  home: { lat: number; lng: number } | undefined,
  rows: readonly (readonly (number | string)[])[],
): string {
  const homeRow = [1, 0, MavCommand.waypoint, 0, 0, 0, 0, home?.lat ?? 0, home?.lng ?? 0, 0, 1];
  const lines = [homeRow, ...rows].map((row, index) => [index, ...row].join("\t"));
  return `${[HEADER, ...lines].join("\r\n")}\r\n`;
}
