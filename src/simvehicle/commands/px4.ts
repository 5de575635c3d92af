import { type Mode, px4Mode } from "../modes";
import { Severity } from "../reports";
import { breaksFence } from "../safety/fence";
import { type CommandContext, FORCED, type Handler, LAST_MOTOR, Result } from "./call";
import { common } from "./common";

const CUSTOM_MODE = 1;

/** During the hold before a failsafe PX4 acknowledges a mode, and enters it when the hold ends. */
function enter({ flight }: CommandContext, mode: Mode | undefined): Result {
  if (mode && flight.failsafeHold) {
    flight.failsafeHold = { ...flight.failsafeHold, ordered: mode };
    return Result.ACCEPTED;
  }
  return mode && flight.changeMode(mode) ? Result.ACCEPTED : Result.TEMPORARILY_REJECTED;
}

const armDisarm: Handler = ({ flight, arming }, { param1, param2 }) => {
  if (param1 === 1) return arming.tryArm() ? Result.ACCEPTED : Result.TEMPORARILY_REJECTED;
  if (param1 !== 0) return Result.UNSUPPORTED;
  if (flight.isAirborne && param2 !== FORCED) {
    flight.reports.text(Severity.CRITICAL, "Disarming denied: not landed\t");
    return Result.TEMPORARILY_REJECTED;
  }
  flight.disarm();
  return Result.ACCEPTED;
};

/** OFFBOARD needs a stream of setpoints, which is not simulated. */
const setMode: Handler = (context, { param1: baseMode, param2: main, param3: sub }) => {
  if ((baseMode & CUSTOM_MODE) === 0) return Result.DENIED;
  const { flight } = context;
  const mode = flight.modes.byNumber.get(px4Mode(main, sub));
  if (!mode) return Result.DENIED;
  if (mode.name === "OFFBOARD") {
    flight.reports.text(Severity.CRITICAL, "Switching to Offboard is currently not available\t");
    return Result.TEMPORARILY_REJECTED;
  }
  return enter(context, mode);
};

/** Heights are above mean sea level, whatever the frame; without one, MIS_TAKEOFF_ALT above here. */
const takeoff: Handler = (context, call) => {
  const { flight } = context;
  if (flight.kind === "rover") return Result.UNSUPPORTED;
  const entered = enter(context, flight.modes.byNumber.get(px4Mode(4, 2)));
  if (entered !== Result.ACCEPTED) return entered;
  const altitude = Number.isFinite(call.z)
    ? call.z
    : flight.position.altitude + flight.params.get("MIS_TAKEOFF_ALT");
  flight.takeoffTo(flight.origin.altitude - altitude);
  return Result.ACCEPTED;
};

/** Values that are not finite leave the present ones. */
const reposition: Handler = (context, call) => {
  const { flight } = context;
  if (!flight.armed) return Result.DENIED;
  const here = flight.position;
  const position = {
    lat: Number.isFinite(call.lat) ? call.lat : here.lat,
    lng: Number.isFinite(call.lng) ? call.lng : here.lng,
  };
  if (Math.abs(position.lat) > 90 || Math.abs(position.lng) > 180) return Result.DENIED;
  if ((call.param2 & 1) !== 0 && enter(context, flight.modes.guided) !== Result.ACCEPTED)
    return Result.TEMPORARILY_REJECTED;
  const altitude = Number.isFinite(call.z) ? call.z : here.altitude;
  const yaw = Number.isFinite(call.param4) ? call.param4 : undefined;
  if (flight.params.get("GF_ACTION") > 0 && breaksFence(flight, position)) {
    // The commander has accepted; the navigator looks at the position a moment later.
    queueMicrotask(() => flight.reports.text(Severity.CRITICAL, "Reposition is outside geofence\t"));
    return Result.ACCEPTED;
  }
  if (call.param1 > 0) flight.speed = call.param1;
  flight.guided = { kind: "position", ...flight.local(position), d: flight.origin.altitude - altitude, yaw };
  return Result.ACCEPTED;
};

/** Any of twelve motors, whether the frame has it or not. */
const actuatorTest: Handler = ({ flight }, { param1: value, param2: seconds, lat: motor }) => {
  if (flight.armed) return Result.DENIED;
  if (!(motor >= 1 && motor <= LAST_MOTOR)) return Result.UNSUPPORTED;
  if (!(value >= 0 && value <= 1) || !(seconds >= 0)) return Result.DENIED;
  flight.motorTestUntil = flight.time + Math.min(seconds, 3);
  return Result.ACCEPTED;
};

const runChecks: Handler = ({ arming }) => {
  arming.reportChecks();
  return Result.ACCEPTED;
};

/** MAV_CMD → what PX4 does with it; a number that is not here is UNSUPPORTED. */
export const px4: Readonly<Record<number, Handler>> = {
  ...common,
  21: (context) => enter(context, context.flight.modes.landing),
  22: takeoff,
  176: setMode,
  192: reposition,
  310: actuatorTest,
  400: armDisarm,
  401: runChecks,
};
