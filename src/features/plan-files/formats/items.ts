import { MavCommand, WITH_POSITION } from "../../../domain/mission-item";
import { type LeftOutList, type ReadWaypoint, refuseFile, type Waypoint } from "./plan-file";

/** What the formats made of MAVLink items have in common: `.plan` and `.waypoints`. */

/** MAV_FRAME_MISSION: an item without a position. */
const MISSION_FRAME = 2;
/** MAV_CMD_DO_DIGICAM_CONFIGURE and DO_DIGICAM_CONTROL. */
const PLAIN_NUMBERS: ReadonlySet<number> = new Set([202, 203]);

/**
 * Commands that are flown to: MAV_CMD_NAV_WAYPOINT, LOITER_UNLIM, LOITER_TURNS, LOITER_TIME, LOITER_TO_ALT and
 * SPLINE_WAYPOINT.
 */
const FLOWN_TO: ReadonlySet<number> = new Set([MavCommand.waypoint, 17, 18, 19, 31, 82]);

/** The number of leading parameters that mean something, where it is below 3. */
const USED_PARAMS: Readonly<Record<number, number>> = {
  ...{ 20: 0, 85: 0, 112: 1, 114: 1, 177: 2, 189: 0, 197: 0, 530: 2, 531: 2 },
  ...{ 2001: 1, 2500: 2, 2501: 1 },
};

/** An item as a file has it. The last three values are latitude, longitude and height of commands with a position. */
export interface FileItem {
  readonly at: string;
  readonly command: number;
  readonly frame: number;
  readonly params: readonly (number | null)[];
  readonly is_current: boolean;
  readonly autocontinue: boolean;
}

const isJump = ({ command }: Pick<FileItem, "command">): boolean => command === MavCommand.jump;

/** Parameters 5 and 6 are plain numbers. On the wire they are whole numbers, and degrees are times 1e7. */
const hasPlainNumbers = ({ command, frame }: Pick<FileItem, "command" | "frame">): boolean =>
  frame === MISSION_FRAME || PLAIN_NUMBERS.has(command);

/** Throws `invalid_input` for a waypoint without a position. */
export function waypointOf(item: FileItem, leftOut: LeftOutList): ReadWaypoint {
  const { at, command, params } = item;
  const used = USED_PARAMS[command] ?? 3;
  const number = (index: number): number => {
    const value = params[index];
    if (value !== null && value !== undefined) return value;
    const isPosition = index > 3;
    if (isPosition && FLOWN_TO.has(command)) refuseFile(at, "the waypoint has no position");
    if (isPosition ? WITH_POSITION.has(command) : index < used)
      leftOut.add(at, `param${index + 1}`, "It is not set, and stored as 0.");
    return 0;
  };
  const isPlain = hasPlainNumbers(item);
  // Whole numbers are stored as the 1e-7 degrees that they are on the wire.
  const degrees = (value: number): number => (isPlain ? Math.round(value) / 1e7 : value);
  const [param1, param2, param3, x, y, altitude] = [0, 1, 2, 4, 5, 6].map(number) as Six;
  if (isPlain && !(Number.isInteger(x) && Number.isInteger(y)))
    leftOut.add(at, "param5, param6", "They are sent as whole numbers.");
  const point: Waypoint = {
    ...{ lat: degrees(x), lng: degrees(y), altitude },
    ...{ frame: item.frame, command, param1, param2, param3, param4: params[3] ?? null },
    ...{ type: "fly", label: null, is_current: item.is_current, autocontinue: item.autocontinue },
  };
  return { at, point };
}

type Six = [number, number, number, number, number, number];

/** The seven parameters of a stored waypoint, as files have them. */
export function paramsOf(point: Waypoint): (number | null)[] {
  const { param1, param2, param3, param4, lat, lng, altitude } = point;
  const [x, y] = hasPlainNumbers(point) ? [Math.round(lat * 1e7), Math.round(lng * 1e7)] : [lat, lng];
  return [param1, param2, param3, param4, x, y, altitude];
}

/**
 * The items with the targets of their jumps as places in the mission, from 1, as a stored jump has them. `places` has the place of each number that the file's jumps name; NaN marks one that several items have.
 */
export function withJumps(
  points: readonly ReadWaypoint[],
  places: ReadonlyMap<number, number>,
): ReadWaypoint[] {
  return points.map(({ at, point }) => {
    if (!isJump(point)) return { at, point };
    const place = places.get(point.param1);
    if (place === undefined)
      refuseFile(at, `DO_JUMP goes to ${point.param1}, which no waypoint of the file is`);
    if (Number.isNaN(place)) refuseFile(at, `DO_JUMP goes to ${point.param1}, which several items are`);
    return { at, point: { ...point, param1: place } };
  });
}
