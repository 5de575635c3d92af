import type { Mode } from "../modes";
import { Severity } from "../reports";
import { breaksFence } from "../safety/fence";
import { altitudeOf, type CommandContext, FORCED, type Handler, LAST_MOTOR, Result } from "./call";
import { common } from "./common";

const CUSTOM_MODE = 1;
const CHANGE_MODE = 1;
const LONGEST_MOTOR_TEST = 600;

const enter = (context: CommandContext, mode: Mode | undefined): Result =>
  mode && context.flight.changeMode(mode) ? Result.ACCEPTED : Result.FAILED;

const armDisarm: Handler = ({ flight, arming }, { param1, param2 }) => {
  if (param1 === 1) return arming.tryArm() ? Result.ACCEPTED : Result.FAILED;
  if (param1 !== 0) return Result.UNSUPPORTED;
  if (flight.isAirborne && param2 !== FORCED) return Result.FAILED;
  flight.disarm();
  return Result.ACCEPTED;
};

const setMode: Handler = (context, { param1: baseMode, param2: customMode }) => {
  if ((baseMode & CUSTOM_MODE) === 0) return Result.DENIED;
  const { flight } = context;
  const mode = flight.modes.byNumber.get(customMode);
  if (!mode) {
    flight.reports.text(Severity.WARNING, `No such mode ${customMode}`);
    return Result.FAILED;
  }
  return enter(context, mode);
};

const takeoff: Handler = ({ flight }, call) => {
  if (flight.kind === "rover") return Result.UNSUPPORTED;
  if (call.frame !== 3 && call.frame !== 6) return Result.DENIED;
  const { behaviour } = flight.mode;
  const able = behaviour === "guided" || behaviour === "climb-rate";
  const allowed = flight.armed && flight.landed && able && call.z > flight.relativeAltitude;
  if (!allowed) return Result.FAILED;
  flight.startTakeoff(flight.downOf(call.z));
  return Result.ACCEPTED;
};

const reposition: Handler = (context, call) => {
  const { flight } = context;
  const guided = flight.mode.behaviour === "guided";
  if (!guided && (call.param2 & CHANGE_MODE) === 0) return Result.DENIED;
  if (!(Math.abs(call.lat) <= 90) || !(Math.abs(call.lng) <= 180)) return Result.DENIED;
  if (!Number.isFinite(call.z)) return Result.DENIED;
  if (!guided && !flight.changeMode(flight.modes.guided)) return Result.FAILED;
  // Refused after the mode was changed.
  if (outsideFence(context, call)) return Result.FAILED;
  if (call.param1 > 0) flight.speed = call.param1;
  const d = flight.origin.altitude - altitudeOf(context, call);
  flight.guided = { kind: "position", ...flight.local(call), d };
  return Result.ACCEPTED;
};

/** With the fence enabled, a destination that breaks it is not accepted. */
const outsideFence = ({ flight }: CommandContext, position: { lat: number; lng: number }): boolean =>
  flight.fenceEnabled && breaksFence(flight, position);

const motorTest: Handler = ({ flight }, call) => {
  const { param1: motor, param2: kind, param3: throttle, param4: seconds } = call;
  const { reports } = flight;
  if (!flight.landed) {
    reports.text(Severity.CRITICAL, "Motor Test: vehicle not landed");
    return Result.FAILED;
  }
  if (flight.armed) {
    reports.text(Severity.CRITICAL, "Motor Test: vehicle is armed");
    return Result.FAILED;
  }
  const percent = kind === 1 ? (throttle - 1000) / 10 : throttle;
  // Of a copter also a motor that its frame lacks; of a rover throttle, steering, left and right throttle.
  const motors = flight.kind === "copter" ? LAST_MOTOR : 4;
  const turns = motor >= 1 && motor <= motors && percent >= 0 && percent <= 100 && seconds >= 0;
  if (!turns) return Result.FAILED;
  if (flight.motorTestUntil === undefined) reports.text(Severity.INFO, "starting motor test");
  flight.motorTestUntil = flight.time + Math.min(seconds, LONGEST_MOTOR_TEST);
  return Result.ACCEPTED;
};

const runChecks: Handler = ({ flight, arming }) => {
  if (flight.armed) return Result.TEMPORARILY_REJECTED;
  arming.reportChecks();
  return Result.ACCEPTED;
};

/** MAV_CMD → what ArduPilot does with it; a number that is not here is UNSUPPORTED. */
export const ardupilot: Readonly<Record<number, Handler>> = {
  ...common,
  22: takeoff,
  176: setMode,
  192: reposition,
  209: motorTest,
  400: armDisarm,
  401: runChecks,
};
