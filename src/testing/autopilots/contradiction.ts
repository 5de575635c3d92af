import { distance, type LatLng, offsetBy } from "../../domain/geo";
import { resolveMode } from "../../vehicle/mavlink/modes";
import { type AutopilotName, isPx4, isRover } from "./autopilot";
import type { Ordered } from "./orders";
import type { Seen } from "./witness";

/** Metres. */
const DRIFT = 3;
const CLIMB = 1;
/** What it may come nearer to a target by chance. */
const APPROACH = 2;

/** What the vehicle does that an answer of 200 does not say, in words; undefined when it agrees. */
type Check = (given: Ordered, name: AutopilotName) => string | undefined;

const armed: Check = ({ beats, after, result }, name) => {
  if (!beats.some((beat) => beat.armed) || !after.armed) return "the vehicle is not armed";
  return inMode({ beats }, name, String(result.mode));
};

const climbs: Check = ({ before, after }) => {
  if (!after.armed) return "the vehicle is not armed";
  return after.relativeAltitude < before.relativeAltitude + CLIMB ? "the vehicle does not climb" : undefined;
};

const modeSet: Check = ({ beats, result }, name) => inMode({ beats }, name, String(result.mode));

const lands: Check = (given, name) => {
  const { before, after } = given;
  const isHigher = after.armed && after.relativeAltitude > before.relativeAltitude - CLIMB / 2;
  if (before.armed && before.relativeAltitude > CLIMB && isHigher) return "the vehicle does not come down";
  return modeSet(given, name);
};

const spins: Check = ({ before, outputs }) => {
  if (before.armed) return "the vehicle was armed";
  // A rover of PX4 reports none.
  if (outputs.length === 0) return undefined;
  const levels = outputs.map((output) =>
    JSON.stringify(Object.entries(output).filter(([key]) => /_raw$/.test(key))),
  );
  return new Set(levels).size < 2 ? "no output changes" : undefined;
};

const goes: Check = (given) => {
  const { before, after } = given;
  if (!after.armed) return "the vehicle is not armed";
  const target = targetOf(given);
  const [was, is] = [distance(target, before), distance(target, after)];
  return is > DRIFT && is > was - APPROACH
    ? `the vehicle is ${is.toFixed(1)} m away, after ${was.toFixed(1)} m`
    : undefined;
};

const parametersSet: Check = ({ body, params }) => {
  const wanted = Object.entries(body.params ?? { [String(body.param_id)]: body.value });
  const other = wanted.find(
    ([name, value]) => Math.fround(Number(value)) !== Math.fround(params[name] ?? Number.NaN),
  );
  return other && `${other[0]} is ${params[other[0]]}`;
};

const missionThere: Check = ({ plans, result }, name) => {
  // ArduPilot keeps home before the plan.
  const count = Number(result.items) + (isPx4(name) ? 0 : 1);
  return plans?.after.mission.count === count
    ? undefined
    : `${plans?.after.mission.count} items are on board`;
};

const fenceThere: Check = ({ plans, result }) =>
  plans?.after.fence.count === Number(result.items)
    ? undefined
    : `${plans?.after.fence.count} points are on board`;

const CHECKS: Readonly<Record<string, Check>> = {
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

/**
 * What of an answer the vehicle contradicts, in words; undefined when it agrees. An order whose outcome is unknown claims
 * nothing; one that was refused has changed nothing.
 */
export function contradiction(given: Ordered, name: AutopilotName): string | undefined {
  const { path, body, status, message } = given;
  if (message.includes("may have obeyed or not")) return undefined;
  const check = CHECKS[path];
  if (!check) return `nothing is known of how ${path} shows`;
  const found = status === 200 ? check(given, name) : changeBy(given);
  if (found === undefined) return undefined;
  const seen = ({ armed: isArmed, customMode, relativeAltitude }: Seen) =>
    `${isArmed ? "armed" : "disarmed"} in ${customMode} at ${relativeAltitude} m`;
  const [was, is, said] = [seen(given.before), seen(given.after), given.texts.join(" | ")];
  return `${path} ${JSON.stringify(body)} answered ${status} (${message}), and ${found}: ${was}, then ${is}. It said: ${said}`;
}

/** What changed although the order was refused. */
function changeBy({ before, after, beats, plans }: Ordered): string | undefined {
  const { customMode, armed: wasArmed } = before;
  if (after.customMode !== customMode) return `the mode went from ${customMode} to ${after.customMode}`;
  if (!wasArmed && beats.some((beat) => beat.armed)) return "the vehicle is armed";
  if (wasArmed && !after.armed) return "the vehicle is disarmed";
  if (!wasArmed && after.relativeAltitude > before.relativeAltitude + CLIMB) return "the vehicle climbs";
  if (plans && plans.before.mission.items !== plans.after.mission.items)
    return "the mission on board is another";
  if (plans && plans.before.fence.items !== plans.after.fence.items) return "the fence on board is another";
  return undefined;
}

function inMode({ beats }: Pick<Ordered, "beats">, name: AutopilotName, mode: string): string | undefined {
  const craft = {
    autopilot: isPx4(name) ? "px4" : "ardupilot",
    kind: isRover(name) ? "rover" : "copter",
  } as const;
  const { customMode } = resolveMode(craft, mode);
  return beats.some((beat) => beat.customMode === customMode) ? undefined : `the vehicle is not in ${mode}`;
}

/** Where an order sends the vehicle: a position, or metres east and north of home. */
function targetOf({ body: { lat, lng, x, y }, home }: Ordered): LatLng {
  return lat === undefined ? offsetBy(home, Number(y), Number(x)) : { lat: Number(lat), lng: Number(lng) };
}
