import type { Mode } from "../modes";
import { Severity } from "../reports";
import { breaksFence } from "../safety/fence";
import { altitudeOf, type Cockpit, type Handler, MAGIC_FORCE_ARM, MAGIC_FORCE_DISARM, Result } from "./call";
import { common } from "./common";

const CUSTOM_MODE = 1;
const CHANGE_MODE = 1;
const LONGEST_MOTOR_TEST = 600;

const enter = (cockpit: Cockpit, mode: Mode | undefined): Result =>
  mode && cockpit.flight.changeMode(mode) ? Result.accepted : Result.failed;

const armDisarm: Handler = ({ flight, arming }, { param1, param2 }) => {
  if (param1 === 1) return arming.tryArm(param2 === MAGIC_FORCE_ARM) ? Result.accepted : Result.failed;
  if (param1 !== 0) return Result.unsupported;
  // A ground station cannot stop the motors of what flies, unless it insists.
  const flying = flight.kind === "copter" && flight.armed && !flight.landed;
  if (flying && param2 !== MAGIC_FORCE_DISARM) return Result.failed;
  flight.disarm();
  return Result.accepted;
};

/** The mode's number, and an unknown one's refusal, as SET_MODE and DO_SET_MODE share them. */
export function setArdupilotMode(cockpit: Cockpit, baseMode: number, customMode: number): Result {
  if ((baseMode & CUSTOM_MODE) === 0) return Result.denied;
  const { flight } = cockpit;
  const mode = flight.modes.byNumber.get(customMode);
  if (!mode) {
    flight.reports.text(Severity.warning, `No such mode ${customMode}`);
    return Result.failed;
  }
  return enter(cockpit, mode);
}

const takeoff: Handler = ({ flight }, call) => {
  if (flight.kind === "rover") return Result.unsupported;
  if (call.frame !== 3 && call.frame !== 6) return Result.denied;
  const { behaviour } = flight.mode;
  const able = behaviour === "guided" || behaviour === "climb-rate";
  const allowed = flight.armed && flight.landed && able && call.z > flight.relativeAltitude;
  if (!allowed) return Result.failed;
  flight.startTakeoff(flight.downOf(call.z));
  return Result.accepted;
};

const reposition: Handler = (cockpit, call) => {
  const { flight } = cockpit;
  const guided = flight.mode.behaviour === "guided";
  if (!guided && (call.param2 & CHANGE_MODE) === 0) return Result.denied;
  if (!(Math.abs(call.lat) <= 90) || !(Math.abs(call.lng) <= 180)) return Result.denied;
  if (!Number.isFinite(call.z)) return Result.denied;
  if (outsideFence(cockpit, call)) return Result.failed;
  if (!guided && !flight.changeMode(flight.modes.guided)) return Result.failed;
  if (call.param1 > 0) flight.speed = call.param1;
  const d = flight.origin.altitude - altitudeOf(cockpit, call);
  flight.guided = { kind: "position", ...flight.local(call), d };
  return Result.accepted;
};

/** With the fence enabled, a destination that breaks it is not accepted. */
export const outsideFence = ({ flight }: Cockpit, place: { lat: number; lng: number }): boolean =>
  flight.params.get("FENCE_ENABLE") === 1 && breaksFence(flight.fence, place);

const missionStart: Handler = (cockpit) => {
  const { flight } = cockpit;
  if (!flight.armed && flight.kind === "copter") return Result.failed;
  if (enter(cockpit, flight.modes.mission) !== Result.accepted) return Result.failed;
  flight.autoArmed = true;
  return Result.accepted;
};

const changeSpeed: Handler = ({ flight }, { param2 }) => {
  if (!(param2 > 0)) return Result.denied;
  if (flight.mode.behaviour === "auto") flight.run.speed = param2;
  else flight.speed = param2;
  return Result.accepted;
};

const motorTest: Handler = ({ flight }, call) => {
  const { param1: motor, param2: kind, param3: throttle, param4: seconds } = call;
  const { reports } = flight;
  if (!flight.landed) {
    reports.text(Severity.critical, "Motor Test: vehicle not landed");
    return Result.failed;
  }
  if (flight.armed) {
    reports.text(Severity.critical, "Motor Test: vehicle is armed");
    return Result.failed;
  }
  const percent = kind === 1 ? (throttle - 1000) / 10 : throttle;
  const motors = flight.kind === "copter" ? 4 : 2;
  const turns = motor >= 1 && motor <= motors && percent >= 0 && percent <= 100 && seconds >= 0;
  if (!turns) return Result.failed;
  if (!flight.motorTest) reports.text(Severity.info, "starting motor test");
  flight.motorTest = { motor, throttle: percent, until: flight.time + Math.min(seconds, LONGEST_MOTOR_TEST) };
  return Result.accepted;
};

const pauseContinue: Handler = ({ flight }, { param1 }) => {
  if (param1 === 0) return flight.pause() ? Result.accepted : Result.failed;
  if (param1 === 1) return flight.resume() ? Result.accepted : Result.failed;
  return Result.denied;
};

const conditionYaw: Handler = ({ flight }, { param1, param3, param4 }) => {
  const { guided, body } = flight;
  if (flight.mode.behaviour !== "guided" || guided.kind === "velocity") return Result.failed;
  if (!(param1 >= 0 && param1 <= 360)) return Result.failed;
  const turn = (param1 * Math.PI) / 180;
  const yaw = param4 === 1 ? body.yaw + (param3 < 0 ? -turn : turn) : turn;
  flight.guided = { kind: "position", n: guided.n, e: guided.e, d: guided.d, yaw };
  return Result.accepted;
};

const fenceEnable: Handler = ({ flight }, { param1 }) => {
  if (param1 < 0 || param1 > 2) return Result.failed;
  flight.params.set("FENCE_ENABLE", param1 === 1 ? 1 : 0);
  return Result.accepted;
};

/** MAV_CMD → what ArduPilot does with it; a number that is not here is UNSUPPORTED. */
export const ardupilot: Readonly<Record<number, Handler>> = {
  ...common,
  17: (cockpit) =>
    enter(
      cockpit,
      cockpit.flight.modes.list.find(({ name }) => name === "LOITER"),
    ),
  20: (cockpit) => enter(cockpit, cockpit.flight.modes.returning),
  21: (cockpit) =>
    cockpit.flight.modes.landing ? enter(cockpit, cockpit.flight.modes.landing) : Result.unsupported,
  22: takeoff,
  115: conditionYaw,
  176: (cockpit, { param1, param2 }) => setArdupilotMode(cockpit, param1, param2),
  178: changeSpeed,
  192: reposition,
  193: pauseContinue,
  201: () => Result.accepted,
  207: fenceEnable,
  209: motorTest,
  300: missionStart,
  400: armDisarm,
  401: ({ arming }) => {
    arming.showAll();
    return Result.accepted;
  },
};
