import { type Comparison, type ComparisonRules, compare, type Verdict } from "../../../domain/compare-plans";
import { type FenceArea, fenceAreas } from "../../../domain/fence-areas";
import { canonicalItem, type MissionItem, toE7, WITH_POSITION } from "../../../domain/mission-item";

/** Plans as autopilots store them: each rounds, wraps and drops fields by rules of its own. */

type Autopilot = "ardupilot" | "px4";

/** The fields of `canonicalItem`, in its order. */
const FIELDS = [
  "command",
  "frame",
  "autocontinue",
  "param1",
  "param2",
  "param3",
  "param4",
  "lat",
  "lng",
  "altitude",
] as const;
type Field = (typeof FIELDS)[number];
type Param = "param1" | "param2" | "param3" | "param4";

/** A value in the form in which it is stored. */
type Rule = (sent: number) => number;

const exact: Rule = (sent) => sent;
const whole: Rule = Math.trunc;
const dropped: Rule = () => 0;
const flag: Rule = (sent) => (sent > 0 ? 1 : 0);
/** ArduPilot keeps which way to turn, and 0 is clockwise. */
const direction: Rule = (sent) => (sent < 0 ? -1 : 1);
/** A byte: turns, or parts of one in 256ths. */
const turns: Rule = (sent) => (sent > 0 && sent < 1 ? Math.trunc(sent * 256) / 256 : Math.trunc(sent));
/** A byte: metres, or tens of them. */
const radius: Rule = (sent) => (Math.abs(sent) > 255 ? Math.trunc(sent / 10) * 10 : Math.trunc(sent));
/** PX4 keeps radians from 0 on. */
const yaw: Rule = (sent) => ((sent % 360) + 360) % 360;

type Rules = Readonly<Record<number, Readonly<Partial<Record<Param, Rule>>>>>;

/**
 * The parameters that mean something in a command, and what ArduPilot stores of them: it packs an item into a few
 * bytes (AP_Mission::mavlink_int_to_mission_cmd). Of a command that is not listed it stores all, drops some, or stores whole
 * numbers.
 */
const ARDUPILOT: Rules = {
  16: { param1: whole, param2: dropped, param3: dropped, param4: dropped },
  17: { param3: whole, param4: dropped },
  18: { param1: turns, param2: dropped, param3: radius, param4: flag },
  19: { param1: whole, param2: dropped, param3: direction, param4: flag },
  20: {},
  21: { param1: whole, param2: dropped, param4: direction },
  22: { param1: whole, param4: dropped },
  31: { param1: dropped, param2: whole, param4: flag },
  82: { param1: whole },
  93: { param1: exact, param2: whole, param3: whole, param4: whole },
  112: { param1: exact },
  114: { param1: exact },
  115: { param1: exact, param2: exact, param3: whole, param4: whole },
  177: { param1: whole, param2: whole },
  178: { param1: whole, param2: exact, param3: exact },
  183: { param1: whole, param2: whole },
  195: { param1: whole, param2: dropped, param3: dropped, param4: dropped },
  201: { param1: whole, param2: dropped, param3: dropped, param4: dropped },
  206: { param1: exact, param3: whole },
};

/**
 * The same for PX4 (MavlinkMissionManager::parse_mavlink_mission_item). Of a command that is not listed it drops the
 * parameters when it has a position, and stores all of them when it has none.
 */
const PX4: Rules = {
  16: { param1: exact, param2: exact, param3: dropped, param4: yaw },
  17: { param3: exact, param4: yaw },
  19: { param1: exact, param2: flag, param3: exact, param4: flag },
  20: {},
  21: { param1: dropped, param2: whole, param4: yaw },
  22: { param1: dropped, param4: yaw },
  31: { param1: flag, param2: exact, param4: flag },
  84: { param4: yaw },
  85: { param4: yaw },
  93: { param1: exact, param2: exact, param3: exact, param4: exact },
  112: { param1: exact },
  114: { param1: exact },
  177: { param1: whole, param2: whole },
  178: { param1: exact, param2: exact, param3: exact },
  195: {},
  206: { param1: exact, param2: exact, param3: exact },
  4501: {},
};

/** Commands that PX4 1.18 stores as others: a delay is a NAV_DELAY. */
const PX4_STORES_AS: Readonly<Record<number, number>> = { 112: 93 };

/** The commands in which PX4 takes a NaN for "as you like". */
const PX4_YAW: ReadonlySet<number> = new Set([16, 17, 19, 21, 22, 31, 84, 85]);

/** MAV_FRAME_MISSION: no position. PX4 refuses a return to launch, or any order without a position, in another frame. */
const MISSION_FRAME = 2;

/**
 * The item as PX4 takes it. It refuses some values in fields that mean nothing in the command, or that it drops (the
 * position of a return to launch): they go as zeros.
 */
function forPx4(item: MissionItem): MissionItem {
  const rules = PX4[item.command];
  const hasPosition = WITH_POSITION.has(item.command);
  const param = (name: Param): number => {
    if (Number.isNaN(item[name]) && !(name === "param4" && PX4_YAW.has(item.command))) return 0;
    return !rules || (rules[name] && rules[name] !== dropped) ? item[name] : 0;
  };
  return {
    ...item,
    ...(hasPosition ? {} : { frame: MISSION_FRAME }),
    ...(rules && !hasPosition ? { x_lat: 0, y_long: 0, z_alt: 0 } : {}),
    param1: param("param1"),
    param2: param("param2"),
    param3: param("param3"),
    param4: param("param4"),
  };
}

/** ArduPilot refuses NaN in some commands, and takes 0 for "as you like" in all. */
const forArduPilot = (item: MissionItem): MissionItem =>
  Number.isNaN(item.param4) ? { ...item, param4: 0 } : item;

/** The items as the autopilot takes them. */
export const acceptable = (plan: readonly MissionItem[], autopilot: Autopilot): MissionItem[] =>
  plan.map(autopilot === "px4" ? forPx4 : forArduPilot);

/**
 * A mission as it was sent, or would be, and the one on board, without ArduPilot's item for home. It decides whether an
 * upload succeeded.
 */
export const compareMissions = (
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
  autopilot: Autopilot,
): Comparison =>
  compare(sent, kept, {
    fields: FIELDS,
    values: canonicalItem,
    judge: (field, was, is, command) => judge(field, was, is, command, autopilot),
  });

/** Centimetres: ArduPilot stores altitudes as such. */
const ALTITUDE_TOLERANCE = 0.011;
/** A yaw that was kept in radians comes back a little off. */
const YAW_TOLERANCE_DEG = 0.01;

function judge(field: Field, was: number, is: number, command: number, autopilot: Autopilot): Verdict {
  if (Object.is(was, is) || was === is) return "same";
  switch (field) {
    case "command":
      return autopilot === "px4" && PX4_STORES_AS[was] === is ? "adjusted" : "different";
    case "frame":
      return WITH_POSITION.has(command) ? "different" : "same";
    case "lat":
    case "lng":
      return judgePosition(was, is, command, autopilot);
    case "altitude": {
      const verdict = judgePosition(was, is, command, autopilot);
      const isNear = Math.abs(was - is) < ALTITUDE_TOLERANCE;
      return verdict === "different" && isNear ? "adjusted" : verdict;
    }
    case "autocontinue":
      return autopilot === "ardupilot" && is === 1 ? "adjusted" : "different";
    default:
      return judgeParam(field, was, is, command, autopilot);
  }
}

/**
 * Of a command that is listed without a position it means nothing. Of one that is not listed it may mean something: the
 * vehicle may drop it, and PX4 keeps the number in a float.
 */
function judgePosition(was: number, is: number, command: number, autopilot: Autopilot): Verdict {
  if (WITH_POSITION.has(command)) return "different";
  if (rulesOf(autopilot)[command]) return "same";
  const isRounded = autopilot === "px4" && is === Math.fround(was);
  return is === 0 || isRounded ? "adjusted" : "different";
}

const rulesOf = (autopilot: Autopilot): Rules => (autopilot === "px4" ? PX4 : ARDUPILOT);

function judgeParam(field: Param, was: number, is: number, command: number, autopilot: Autopilot): Verdict {
  // The vehicle chooses: it stores nothing, or the direction of a turn.
  if (Number.isNaN(was)) return Math.abs(is) <= 1 ? "same" : "different";
  const rules = rulesOf(autopilot)[command];
  if (!rules) {
    const drops = autopilot === "ardupilot" || WITH_POSITION.has(command);
    const isWhole = autopilot === "ardupilot" && is === Math.trunc(was);
    return (drops && is === 0) || isWhole ? "adjusted" : "different";
  }
  const rule = rules[field];
  if (!rule) return "same";
  if (rule === yaw) {
    if (Math.abs(was - is) < YAW_TOLERANCE_DEG) return "same";
    const turn = Math.abs((was - is) % 360);
    return Math.min(turn, 360 - turn) < YAW_TOLERANCE_DEG ? "adjusted" : "different";
  }
  if (rule === direction && was === 0 && is === 1) return "same";
  return is === Math.fround(rule(was)) ? "adjusted" : "different";
}

/**
 * A fence as it was sent, or would be, and the one on board. A fence has no altitude, and both autopilots choose the frame
 * in which they return it, so the shapes are compared: command, vertex count or radius, and position. It decides whether
 * an upload succeeded. When no point is on board where it was sent, all are missing: it is another fence.
 */
export function compareFences(sent: readonly MissionItem[], kept: readonly MissionItem[]): Comparison {
  const places = new Set(kept.map(placeOf));
  const isAnother = !sent.some((point) => places.has(placeOf(point)));
  if (isAnother) return { ...compare(sent, [], FENCES), extra: [...kept.keys()] };
  return compare(sent, kept, isPartOfFence(sent, kept) ? { ...FENCES, free: [] } : FENCES);
}

/** Whether each area of the one fence is among those of the other, in whichever order. */
export function isPartOfFence(part: readonly MissionItem[], fence: readonly MissionItem[]): boolean {
  const shapeOf = ({ items }: FenceArea) => JSON.stringify(items.map(FENCES.values));
  const shapes = new Set(fenceAreas(fence).map(shapeOf));
  return fenceAreas(part).every((area) => shapes.has(shapeOf(area)));
}

const placeOf = ({ command, x_lat, y_long }: MissionItem) => `${command} ${toE7(x_lat)} ${toE7(y_long)}`;

const FENCES: ComparisonRules<"command" | "param1" | "lat" | "lng"> = {
  fields: ["command", "param1", "lat", "lng"],
  values: ({ command, param1, x_lat, y_long }) => [command, Math.fround(param1), toE7(x_lat), toE7(y_long)],
  judge: (_field, was, is) => (was === is ? "same" : "different"),
  free: ["param1"],
};
