import { isDeepStrictEqual } from "node:util";
import { distance, type LatLng, offsetBy } from "../../domain/geo";
import { modesOf } from "../../vehicle/mavlink/mode-tables";
import { type AutopilotName, isPx4, isRover, vehicleOf } from "./autopilot";
import type { GivenOrder, StoredPoint } from "./orders";
import { fieldOf } from "./plans";
import type { ObservedState } from "./witness";

/** Metres. */
const DRIFT = 3;
const CLIMB = 1;
/** A landing vehicle is not higher when it disarms, in metres. */
const ON_THE_GROUND = 0.5;
/** What it may come nearer to a target by chance. */
const APPROACH = 2;
/** Metres per second of a vehicle that goes nowhere. */
const STANDING = 0.5;
/** Modes in which it keeps its height of itself. */
const HOLDING: readonly string[] = ["GUIDED", "LOITER", "AUTO.LOITER"];
/** Degrees × 1e7, and metres. */
const ROUNDING = 1;
const CENTIMETRE = 0.011;

/** What the vehicle does that an answer of 200 does not say, in words; undefined when it agrees. */
type Check = (given: GivenOrder, name: AutopilotName) => string | undefined;

const armed: Check = (given, name) => {
  if (!given.beats.some((beat) => beat.armed) || !given.after.armed) return "the vehicle is not armed";
  return modeSet(given, name);
};

const climbs: Check = ({ body, before, after }) => {
  if (!after.armed) return "the vehicle is not armed";
  // It may have been told to climb by less.
  const wanted = Math.min(CLIMB, Number(body.altitude ?? Number.POSITIVE_INFINITY) / 2);
  return after.relativeAltitude < before.relativeAltitude + wanted ? "the vehicle does not climb" : undefined;
};

/** PX4's takeoff ends in its Hold. */
const endsTakeoff = (name: AutopilotName, was: number | undefined, is: number): boolean =>
  was === customModeOf(name, "AUTO.TAKEOFF") && is === customModeOf(name, "AUTO.LOITER");

/** It shows the mode, and stays in it unless it has landed, or taken off. */
const modeSet: Check = (given, name) => {
  const { beats, before, after, result } = given;
  const mode = String(result.mode);
  const customMode = customModeOf(name, mode);
  if (!beats.some((beat) => beat.customMode === customMode)) return `the vehicle is not in ${mode}`;
  const hasLanded = before.armed && !after.armed;
  const hasTakenOff = endsTakeoff(name, customMode, after.customMode) && climbs(given, name) === undefined;
  return after.customMode === customMode || hasLanded || hasTakenOff
    ? undefined
    : `the vehicle did not stay in ${mode}`;
};

const lands: Check = (given, name) => {
  const { before, after } = given;
  const isHigher = after.armed && after.relativeAltitude > before.relativeAltitude - CLIMB / 2;
  if (before.armed && before.relativeAltitude > CLIMB && isHigher) return "the vehicle does not come down";
  return modeSet(given, name);
};

const spins: Check = ({ before, beats, outputs }) => {
  // One that has just landed disarms by itself.
  if (before.armed) return beats.some(({ armed }) => !armed) ? undefined : "the vehicle was armed";
  // A rover of PX4 reports none.
  if (outputs.length === 0) return undefined;
  const levels = outputs.map((output) =>
    JSON.stringify(Object.entries(output).filter(([key]) => /_raw$/.test(key))),
  );
  return new Set(levels).size < 2 ? `no output changes in ${levels.length} readings` : undefined;
};

/** The outputs of a disarmed vehicle that change although the test was refused. */
const spinsNevertheless: Check = (given, name) =>
  !given.before.armed && given.outputs.length > 0 && spins(given, name) === undefined
    ? "the outputs change"
    : undefined;

const goes: Check = (given, name) => {
  const { before, after, result } = given;
  if (!after.armed) return "the vehicle is not armed";
  if (result.result === "TARGET_UNCONFIRMED") return undefined;
  const target = targetOf(given);
  const [was, is] = [distance(target, before), distance(target, after)];
  if (is > DRIFT && is > was - APPROACH)
    return `the vehicle is ${is.toFixed(1)} m away, after ${was.toFixed(1)} m`;
  if (isRover(name)) return undefined;
  const [apart, now] = [aboveOrBelow(given, before), aboveOrBelow(given, after)];
  return now > DRIFT && now > apart - CLIMB
    ? `the vehicle is ${now.toFixed(1)} m above or below, after ${apart.toFixed(1)} m`
    : undefined;
};

/** A target that it goes to although the order was refused. */
const goesNevertheless: Check = (given, name) => {
  const { before, after } = given;
  if (before.speed > STANDING || Math.abs(before.climb) > STANDING) return undefined;
  const target = targetOf(given);
  const [was, is] = [distance(target, before), distance(target, after)];
  if (is < was - APPROACH)
    return `the vehicle goes there: it is ${is.toFixed(1)} m away, after ${was.toFixed(1)} m`;
  if (isRover(name) || !HOLDING.some((mode) => before.customMode === customModeOf(name, mode)))
    return undefined;
  const [apart, now] = [aboveOrBelow(given, before), aboveOrBelow(given, after)];
  return now < apart - CLIMB ? `the vehicle goes there: it is at ${after.relativeAltitude} m` : undefined;
};

/** Metres from the height that was ordered. */
const aboveOrBelow = ({ body }: GivenOrder, { relativeAltitude }: ObservedState): number =>
  Math.abs(relativeAltitude - Number(body.altitude ?? body.z));

/** A rover's height drifts, and begins anew: it claims nothing. */
const hasClimbed = ({ before, after }: Pick<GivenOrder, "before" | "after">, name: AutopilotName): boolean =>
  !isRover(name) && after.relativeAltitude > before.relativeAltitude + CLIMB;

/** A vehicle on the ground that flies although the order was refused. */
const fliesNevertheless: Check = (given, name) =>
  given.before.relativeAltitude < ON_THE_GROUND && hasClimbed(given, name) ? "the vehicle climbs" : undefined;

const sameValue = (a: unknown, b: unknown): boolean => Math.fround(Number(a)) === Math.fround(Number(b));

const wantedParams = ({ body }: GivenOrder): [name: string, value: unknown][] =>
  Object.entries(body.params ?? { [String(body.param_id)]: body.value });

const parametersSet: Check = (given) => {
  const other = wantedParams(given).find(([name, value]) => !sameValue(value, given.params[name]?.after));
  return other && `${other[0]} is ${given.params[other[0]]?.after}`;
};

/** Those that the error calls written are; the others are as they were. */
const parametersAsSaid: Check = (given) => {
  const written = /Written: ([^.]*)\./.exec(given.message)?.[1]?.split(", ") ?? [];
  const other = wantedParams(given).find(([name, value]) => {
    const param = given.params[name];
    return param && !sameValue(param.after, written.includes(name) ? value : param.before);
  });
  return other && `${other[0]} is ${given.params[other[0]]?.after}`;
};

const missionThere: Check = ({ plans, result, stored, before }, name) => {
  const items = (plans?.after.mission ?? []) as Item[];
  if (items.length !== Number(result.items)) return `${items.length} items are on board`;
  const rows = items.slice(items.length - stored.length);
  const other = stored.findIndex((point, at) => !isStored(point, rows[at]));
  if (other >= 0) return `the mission's row ${other + 1} is ${JSON.stringify(rows[other])}`;
  const untrue = (result.adjusted as Adjusted[]).find(({ sequence, field, stored: value }) => {
    const row = stored.findIndex((point) => point.sequence === sequence);
    const is = rows[row] && fieldOf(rows[row], field);
    return is !== undefined && value !== null && !sameValue(is, value);
  });
  if (untrue) return `the ${untrue.field} of the row of sequence ${untrue.sequence} is not ${untrue.stored}`;
  const isUnderWay =
    before.armed && before.customMode === customModeOf(name, isPx4(name) ? "AUTO.MISSION" : "AUTO");
  return isPx4(name) && !isUnderWay && plans?.after.current !== 0
    ? `item ${plans?.after.current} is next`
    : undefined;
};

const fenceThere: Check = ({ plans, result, stored, params, texts }) => {
  const items = (plans?.after.fence ?? []) as Item[];
  if (items.length !== Number(result.items)) return `${items.length} points are on board`;
  const other = stored.findIndex((point, at) => !isStored(point, items[at]));
  if (other >= 0) return `the fence's point ${other + 1} is ${JSON.stringify(items[other])}`;
  const { active, params: said } = result.enforcement as Enforcement;
  if (active && texts.some((text) => /geofence invalid/i.test(text)))
    return "the vehicle calls its fence invalid";
  const untrue = said.find(({ param_id, value }) => !sameValue(value, params[param_id]?.after));
  return untrue && `${untrue.param_id} is ${params[untrue.param_id]?.after}`;
};

/** MISSION_ITEM_INT. */
type Item = Readonly<Record<string, number>> & Readonly<Record<"command" | "x" | "y" | "z", number>>;

interface Adjusted {
  readonly sequence: number;
  readonly field: string;
  readonly stored: number | null;
}

interface Enforcement {
  readonly active: boolean;
  readonly params: readonly { readonly param_id: string; readonly value: number }[];
}
const WAYPOINT = 16;
const FENCES: readonly number[] = [5001, 5002, 5003, 5004];

/** The commands are compared, and where a place means something, the places. */
function isStored(point: StoredPoint, item: Item | undefined): boolean {
  if (item === undefined) return false;
  if (FENCES.includes(item.command)) return isPlace(point, item);
  if (point.command !== item.command) return false;
  return (
    point.command !== WAYPOINT || (isPlace(point, item) && Math.abs(point.altitude - item.z) < CENTIMETRE)
  );
}

const isPlace = ({ lat, lng }: StoredPoint, { x, y }: Item): boolean =>
  Math.abs(lat * 1e7 - x) <= ROUNDING && Math.abs(lng * 1e7 - y) <= ROUNDING;

/** How an order that was obeyed shows, by its path. */
export const CHECKS: Readonly<Record<string, Check>> = {
  arm: armed,
  arm_drone: armed,
  disarm_drone: ({ after }) => (after.armed ? "the vehicle is armed" : undefined),
  takeoff: climbs,
  start_mission: (given, name) => (isRover(name) ? modeSet(given, name) : climbs(given, name)),
  land: lands,
  rtl: modeSet,
  guided: modeSet,
  set_mode: modeSet,
  motortest: spins,
  move: goes,
  goto_gps_location: goes,
  set_param: parametersSet,
  set_params: parametersSet,
  push_mission: missionThere,
  push_geofence: fenceThere,
  clear_fence: fenceThere,
  sync_geofences: fenceThere,
};

/** What an order that was refused must not have done, beside what no refused order may have changed. */
const REFUSED: Readonly<Record<string, Check>> = {
  takeoff: fliesNevertheless,
  start_mission: fliesNevertheless,
  move: goesNevertheless,
  goto_gps_location: goesNevertheless,
  set_param: parametersAsSaid,
  set_params: parametersAsSaid,
  motortest: spinsNevertheless,
};

const isUnknown = (message: string): boolean => message.includes("may have obeyed or not");
const LATE_MODE = /acknowledged the mode (\S+) but .* It may enter it yet/;

/** The outcome is unknown, or may come late. */
export const claimsNothing = ({ message }: GivenOrder): boolean =>
  isUnknown(message) || LATE_MODE.test(message);

/**
 * The part of an answer that the vehicle contradicts, in words; undefined when it agrees. An order whose outcome is
 * unknown claims nothing; one that was refused has changed nothing.
 */
export function contradiction(given: GivenOrder, name: AutopilotName): string | undefined {
  const { path, body, status, message } = given;
  if (isUnknown(message)) return undefined;
  const check = CHECKS[path];
  if (!check) return `nothing is known of how ${path} shows`;
  const found = status === 200 ? check(given, name) : (changeBy(given, name) ?? REFUSED[path]?.(given, name));
  if (found === undefined) return undefined;
  const seen = ({ armed: isArmed, customMode, relativeAltitude }: ObservedState) =>
    `${isArmed ? "armed" : "disarmed"} in ${customMode} at ${relativeAltitude} m`;
  const [was, is, said] = [seen(given.before), seen(given.after), given.texts.join(" | ")];
  return `${path} ${JSON.stringify(body)} answered ${status} (${message}), and ${found}: ${was}, then ${is}. It said: ${said}`;
}

/** What changed although the order was refused. */
function changeBy(
  { path, before, after, beats, plans, message }: GivenOrder,
  name: AutopilotName,
): string | undefined {
  const { customMode, armed: wasArmed } = before;
  const late = LATE_MODE.exec(message)?.[1];
  const entersLate = late !== undefined && after.customMode === customModeOf(name, late);
  // A vehicle that ends its landing disarms by itself, and PX4 then enters its Hold.
  const hasLanded =
    path !== "disarm_drone" && wasArmed && !after.armed && before.relativeAltitude < ON_THE_GROUND;
  const hasTakenOff = endsTakeoff(name, customMode, after.customMode);
  if (after.customMode !== customMode && !entersLate && !hasLanded && !hasTakenOff)
    return `the mode went from ${customMode} to ${after.customMode}`;
  if (!wasArmed && beats.some((beat) => beat.armed)) return "the vehicle is armed";
  if (wasArmed && !after.armed && !hasLanded) return "the vehicle is disarmed";
  if (!wasArmed && hasClimbed({ before, after }, name)) return "the vehicle climbs";
  if (!plans) return undefined;
  const [was, is] = [plans.before, plans.after];
  if (!isDeepStrictEqual(was.mission, is.mission))
    return `the mission on board is another: ${differenceOf(was.mission, is.mission)}`;
  if (!isDeepStrictEqual(was.fence, is.fence)) return "the fence on board is another";
  return undefined;
}

/** The items that are not the same, before and after. */
function differenceOf(before: readonly unknown[], after: readonly unknown[]): string {
  const at = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index);
  const changed = at.filter((index) => !isDeepStrictEqual(before[index], after[index]));
  return changed
    .map((index) => `${JSON.stringify(before[index])} → ${JSON.stringify(after[index])}`)
    .join(", ");
}

/** HEARTBEAT.custom_mode of a mode as replies name it. */
export function customModeOf(name: AutopilotName, mode: string): number | undefined {
  const { entered, shown } = modesOf(vehicleOf(name));
  const unnamed = /^MODE\((\d+)\)$/.exec(mode)?.[1];
  return unnamed === undefined ? { ...entered, ...shown }[mode] : Number(unnamed);
}

/** Where an order sends the vehicle: a position, or metres east and north of home. */
function targetOf({ body: { lat, lng, x, y }, home }: GivenOrder): LatLng {
  return lat === undefined ? offsetBy(home, Number(y), Number(x)) : { lat: Number(lat), lng: Number(lng) };
}
