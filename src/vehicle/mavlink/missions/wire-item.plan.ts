import {
  canonicalItem,
  MavCommand,
  MavFrame,
  type MissionItem,
  PLAIN_ITEM,
  toE7,
} from "../../../domain/mission-item";

/** MISSION_ITEM_INT without its addressing: one row on the wire. */
export interface WireItem
  extends Pick<MissionItem, "command" | "frame" | "param1" | "param2" | "param3" | "param4"> {
  readonly seq: number;
  readonly current: number;
  readonly autocontinue: number;
  /** Degrees × 1e7. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export type Autopilot = "ardupilot" | "px4";

export const toWire = (item: MissionItem, seq: number): WireItem => {
  const { is_current, autocontinue, x_lat, y_long, z_alt, ...fields } = item;
  return {
    ...fields,
    seq,
    current: is_current ? 1 : 0,
    autocontinue: autocontinue ? 1 : 0,
    x: toE7(x_lat),
    y: toE7(y_long),
    z: z_alt,
  };
};

export const fromWire = (item: WireItem): MissionItem => ({
  command: item.command,
  frame: item.frame,
  is_current: item.current === 1,
  autocontinue: item.autocontinue !== 0,
  param1: item.param1,
  param2: item.param2,
  param3: item.param3,
  param4: item.param4,
  x_lat: item.x / 1e7,
  y_long: item.y / 1e7,
  z_alt: item.z,
});

/**
 * The plan as it goes out. ArduPilot keeps item 0 for home and overwrites whatever is sent there, so a
 * placeholder goes before the plan; PX4 has none, and takes orders without a place in a frame of their own.
 */
export function wireMission(
  plan: readonly MissionItem[],
  autopilot: Autopilot,
  home: { lat: number; lng: number; altitude: number },
): WireItem[] {
  if (autopilot === "px4") return plan.map(forPx4).map(toWire);
  const placeholder: MissionItem = {
    ...PLAIN_ITEM,
    command: MavCommand.waypoint,
    frame: MavFrame.global,
    x_lat: home.lat,
    y_long: home.lng,
    z_alt: home.altitude,
  };
  return [placeholder, ...plan].map(toWire);
}

/** MAV_FRAME_MISSION: no position. PX4 refuses a return to launch, or any order without a place, in another frame. */
const MISSION_FRAME = 2;

const forPx4 = (item: MissionItem): MissionItem =>
  WITH_POSITION.has(item.command) ? item : { ...item, frame: MISSION_FRAME };

/** The plan as it came back, without what ArduPilot keeps at item 0. */
export const missionFromWire = (items: readonly WireItem[], autopilot: Autopilot): MissionItem[] =>
  (autopilot === "ardupilot" ? items.slice(1) : items).map(fromWire);

/** Places of `canonicalItem`. */
const FIELDS = [
  "command",
  "frame",
  "autocontinue",
  "param1",
  "param2",
  "param3",
  "param4",
  "latitude",
  "longitude",
  "altitude",
] as const;
type Field = (typeof FIELDS)[number];

/** Commands whose position both autopilots store; of the others they keep parameters only. */
const WITH_POSITION = new Set([16, 17, 18, 19, 21, 22, 31, 82, 84, 85, 94, 195, 201]);

/**
 * The parameters that ArduPilot stores for the commands plans are made of: it packs an item into a few bytes
 * and drops the rest, which come back as 0, or as ±1 for a turn direction. Most are whole numbers there. A
 * command that is not listed is compared in full, but for what came back as 0.
 */
const ARDUPILOT_KEEPS: Readonly<Record<number, readonly Field[]>> = {
  16: ["param1"],
  17: ["param3"],
  18: ["param1", "param3"],
  19: ["param1"],
  20: [],
  21: ["param1"],
  22: ["param1"],
  31: ["param2"],
  82: ["param1"],
  93: ["param1", "param2", "param3", "param4"],
  112: ["param1"],
  114: ["param1"],
  115: ["param1", "param2", "param3", "param4"],
  177: ["param1", "param2"],
  178: ["param1", "param2", "param3"],
  183: ["param1", "param2"],
  206: ["param1"],
};

/**
 * The same for PX4's commands with a position; `param4` is a yaw there. Of those without one it keeps every
 * parameter.
 */
const PX4_KEEPS: Readonly<Record<number, readonly Field[]>> = {
  16: ["param1", "param2", "param4"],
  17: ["param3", "param4"],
  19: ["param1", "param3"],
  21: ["param2", "param4"],
  22: ["param4"],
  31: ["param2"],
  84: ["param4"],
  85: ["param4"],
};

/** Centimetres: ArduPilot stores altitudes as such. */
const ALTITUDE_TOLERANCE = 0.011;
/** PX4 keeps a yaw in radians, so it comes back wrapped and a little off. */
const YAW_TOLERANCE_DEG = 0.01;

/**
 * What differs between the plan sent and the plan read back, in words, one line each; none when the vehicle
 * holds the plan. Differences that the autopilot's own storage makes are none.
 */
export function missionDifferences(
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
  autopilot: Autopilot,
): string[] {
  if (sent.length !== kept.length) return [`${sent.length} items were sent and ${kept.length} came back`];
  return sent.flatMap((item, at) => {
    const back = kept[at];
    return back ? itemDifferences(item, back, autopilot).map((line) => `item ${at + 1}: ${line}`) : [];
  });
}

function itemDifferences(sent: MissionItem, kept: MissionItem, autopilot: Autopilot): string[] {
  const before = canonicalItem(sent);
  const after = canonicalItem(kept);
  return FIELDS.flatMap((field, index) => {
    const was = before[index] ?? 0;
    const is = after[index] ?? 0;
    return sameField(field, was, is, sent.command, autopilot) ? [] : [`${field} ${was} became ${is}`];
  });
}

function sameField(field: Field, was: number, is: number, command: number, autopilot: Autopilot): boolean {
  if (Object.is(was, is) || was === is) return true;
  switch (field) {
    case "command":
      return false;
    case "frame":
    case "latitude":
    case "longitude":
      return !WITH_POSITION.has(command);
    case "altitude":
      return !WITH_POSITION.has(command) || Math.abs(was - is) < ALTITUDE_TOLERANCE;
    case "autocontinue":
      return autopilot === "ardupilot" && is === 1;
    default:
      return autopilot === "ardupilot"
        ? sameForArduPilot(field, was, is, command)
        : sameForPx4(field, was, is, command);
  }
}

function sameForArduPilot(field: Field, was: number, is: number, command: number): boolean {
  const keeps = ARDUPILOT_KEEPS[command];
  if (!keeps) return is === 0;
  if (!keeps.includes(field)) return true;
  return Math.abs(was - is) < 1 && Number.isInteger(is);
}

function sameForPx4(field: Field, was: number, is: number, command: number): boolean {
  if (!WITH_POSITION.has(command)) return false;
  const keeps = PX4_KEEPS[command];
  if (!keeps) return is === 0;
  if (!keeps.includes(field)) return true;
  if (field !== "param4") return false;
  const turn = Math.abs((was - is) % 360);
  return Math.min(turn, 360 - turn) < YAW_TOLERANCE_DEG;
}

/**
 * What differs between two fences. A fence has no altitude, and both autopilots choose the frame in which
 * they return it, so the shapes are compared: command, vertex count or radius, and place.
 */
export function fenceDifferences(sent: readonly MissionItem[], kept: readonly MissionItem[]): string[] {
  if (sent.length !== kept.length) return [`${sent.length} items were sent and ${kept.length} came back`];
  return sent.flatMap((item, at) => {
    const back = kept[at];
    if (!back) return [];
    const same =
      item.command === back.command &&
      Math.fround(item.param1) === Math.fround(back.param1) &&
      toE7(item.x_lat) === toE7(back.x_lat) &&
      toE7(item.y_long) === toE7(back.y_long);
    return same ? [] : [`fence item ${at + 1} came back different`];
  });
}
