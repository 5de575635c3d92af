import { type LatLng, metresBetween } from "../../../map/features";
import { CHANGE_SPEED, JUMP, TAKE_OFF } from "../commands";
import { frames, isOnPath, isReturn, type Row } from "./row";

/** What a flight of the rows would be, by estimate. */
export interface Route {
  /** Metres over ground. */
  readonly length: number;
  readonly seconds: number;
  /** A jump or a loiter goes on without end; it is counted once. */
  readonly isEndless: boolean;
  /** Metres above home, of the rows whose heights are that. Undefined without one. */
  readonly highest: number | undefined;
  /** Metres to each row on the path from the one before it, by its index. */
  readonly legs: ReadonlyMap<number, number>;
}

/** Metres per second, as copters climb and descend in missions by default (WPNAV_SPEED_UP, WPNAV_SPEED_DN). */
const CLIMB = 2.5;
const DESCENT = 1.5;
/** Rows that are walked at most: jumps of many repeats may nest. */
const MOST_STEPS = 200_000;

/** MAV_CMD_NAV_LOITER_UNLIM. */
const LOITER = 17;

/** `speed`: metres per second until a row changes it. */
export function routeOf(rows: readonly Row[], speed: number): Route {
  const legs = new Map<number, number>();
  for (const [at, leg] of pathLegs(rows)) legs.set(at, leg);
  const flight = fly(rows, speed);
  const heights = rows.filter((row) => isOnPath(row) && row.frame === frames.home).map((row) => row.altitude);
  const highest = heights.length > 0 ? heights.reduce((a, b) => Math.max(a, b)) : undefined;
  return { ...flight, highest, legs };
}

function* pathLegs(rows: readonly Row[]): Generator<[index: number, metres: number]> {
  let last: LatLng | undefined;
  for (const [at, row] of rows.entries()) {
    if (!isOnPath(row)) continue;
    if (last) yield [at, metresBetween(last, row)];
    last = row;
  }
}

function fly(rows: readonly Row[], cruise: number): Pick<Route, "length" | "seconds" | "isEndless"> {
  const home = rows.find(isOnPath);
  const repeats = new Map<number, number>();
  let [length, seconds, isEndless] = [0, 0, false];
  let [speed, steps] = [cruise, 0];
  let position: LatLng | undefined = home;
  // Home is not stored: the flight begins at the first position, on the ground.
  let height = 0;
  const moveTo = (to: LatLng, altitude: number) => {
    const metres = position ? metresBetween(position, to) : 0;
    const climb = altitude - height;
    length += metres;
    seconds += Math.max(metres / speed, climb > 0 ? climb / CLIMB : -climb / DESCENT);
    position = to;
    height = altitude;
  };
  for (let at = 0; at < rows.length && steps < MOST_STEPS; at++, steps++) {
    const row = rows[at] as Row;
    if (row.command === JUMP) {
      const target = rows[row.param1 - 1];
      const left = repeats.get(row.key) ?? row.param2;
      if (!target || left === 0) continue;
      if (left < 0) isEndless = true;
      else {
        repeats.set(row.key, left - 1);
        at = row.param1 - 2;
      }
    } else if (isOnPath(row)) moveTo(row, row.altitude);
    else if (row.command === TAKE_OFF && position) moveTo(position, row.altitude);
    else if (isReturn(row) && home) {
      moveTo(home, height);
      moveTo(home, 0);
    }
    seconds += secondsAt(row, speed);
    if (row.command === LOITER) isEndless = true;
    if (row.command === CHANGE_SPEED && row.param1 < 2 && row.param2 > 0) speed = row.param2;
  }
  return { length, seconds, isEndless: isEndless || steps >= MOST_STEPS };
}

/** What the vehicle waits or circles at the row, where it says so in seconds or turns. */
function secondsAt({ command, param1, param3 }: Row, speed: number): number {
  switch (command) {
    case 16:
    case 82:
    case 19:
    case 93:
    case 112:
      return Math.max(0, param1);
    case 18:
      return (Math.max(0, param1) * 2 * Math.PI * Math.abs(param3)) / speed;
    default:
      return 0;
  }
}

/** A point of the altitude profile. */
export interface ProfilePoint {
  readonly key: number;
  readonly place: number;
  /** Metres over ground from the first row on the path. */
  readonly at: number;
  /** Metres above `Profile.reference`. */
  readonly altitude: number;
}

export interface Profile {
  /** The frame of the heights that are drawn: that of most rows on the path. */
  readonly frame: number;
  readonly points: readonly ProfilePoint[];
  /** Rows on the path whose heights are above something else. */
  readonly others: number;
}

/** MAV_FRAME_*_INT mean the same as their plain twins. */
export const plainFrame = (frame: number): number =>
  ({ 5: frames.sea, 6: frames.home, 11: frames.terrain })[frame] ?? frame;

/** The heights along the path. */
export function profileOf(rows: readonly Row[]): Profile {
  const counts = new Map<number, number>();
  for (const row of rows)
    if (isOnPath(row)) counts.set(plainFrame(row.frame), (counts.get(plainFrame(row.frame)) ?? 0) + 1);
  const [frame = frames.home, count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const legs = new Map(pathLegs(rows));
  const points: ProfilePoint[] = [];
  let at = 0;
  let all = 0;
  for (const [index, row] of rows.entries()) {
    if (!isOnPath(row)) continue;
    at += legs.get(index) ?? 0;
    all += 1;
    if (plainFrame(row.frame) === frame)
      points.push({ key: row.key, place: index + 1, at, altitude: row.altitude });
  }
  return { frame, points, others: all - count };
}
