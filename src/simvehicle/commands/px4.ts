import { type Mode, px4Mode } from "../modes";
import { Severity } from "../reports";
import { type Cockpit, type Handler, MAGIC_FORCE_DISARM, Result } from "./call";
import { common } from "./common";

const CUSTOM_MODE = 1;

const modeNamed = (cockpit: Cockpit, name: string): Mode | undefined =>
  cockpit.flight.modes.list.find((mode) => mode.name === name);

function enter(cockpit: Cockpit, mode: Mode | undefined): Result {
  return mode && cockpit.flight.changeMode(mode) ? Result.accepted : Result.temporarilyRejected;
}

const armDisarm: Handler = ({ flight, arming }, { param1, param2 }) => {
  const force = param2 === MAGIC_FORCE_DISARM;
  if (param1 === 1) return arming.tryArm(force) ? Result.accepted : Result.temporarilyRejected;
  if (param1 !== 0) return Result.unsupported;
  if (flight.kind === "copter" && flight.armed && !flight.landed && !force) {
    flight.reports.text(Severity.critical, "Disarming denied: not landed");
    return Result.temporarilyRejected;
  }
  flight.disarm();
  return Result.accepted;
};

/** Base mode, main mode, sub mode. */
export function setPx4Mode(cockpit: Cockpit, baseMode: number, customMode: number): Result {
  if ((baseMode & CUSTOM_MODE) === 0) return Result.denied;
  const { flight } = cockpit;
  const mode = flight.modes.byNumber.get(customMode);
  if (!mode) return Result.denied;
  if (mode.name === "OFFBOARD" && !flight.hasSetpoint()) {
    flight.reports.text(Severity.critical, "Switching to mode 'Offboard' is currently not available");
    return Result.temporarilyRejected;
  }
  return enter(cockpit, mode);
}

/** Heights are above mean sea level, whatever the frame; without one, MIS_TAKEOFF_ALT above here. */
const takeoff: Handler = (cockpit, call) => {
  const { flight } = cockpit;
  if (flight.kind === "rover") return Result.unsupported;
  const entered = enter(cockpit, modeNamed(cockpit, "AUTO_TAKEOFF"));
  if (entered !== Result.accepted) return entered;
  const altitude = Number.isFinite(call.z)
    ? call.z
    : flight.position.altitude + flight.params.get("MIS_TAKEOFF_ALT");
  flight.takeoffTo(flight.origin.altitude - altitude);
  return Result.accepted;
};

/** Values that are not finite keep what is. */
const reposition: Handler = (cockpit, call) => {
  const { flight } = cockpit;
  if (!flight.armed) return Result.denied;
  const here = flight.position;
  const place = {
    lat: Number.isFinite(call.lat) ? call.lat : here.lat,
    lng: Number.isFinite(call.lng) ? call.lng : here.lng,
  };
  if (Math.abs(place.lat) > 90 || Math.abs(place.lng) > 180) return Result.denied;
  const mode = modeNamed(cockpit, "AUTO_LOITER");
  if ((call.param2 & 1) !== 0 && enter(cockpit, mode) !== Result.accepted) return Result.temporarilyRejected;
  const altitude = Number.isFinite(call.z) ? call.z : here.altitude;
  const yaw = Number.isFinite(call.param4) ? call.param4 : undefined;
  if (call.param1 > 0) flight.speed = call.param1;
  flight.guided = { kind: "position", ...flight.local(place), d: flight.origin.altitude - altitude, yaw };
  return Result.accepted;
};

const actuatorTest: Handler = ({ flight }, { param1: value, param2: seconds, lat: output }) => {
  if (flight.armed) return Result.denied;
  if (!(value >= 0 && value <= 1) || !(seconds >= 0)) return Result.denied;
  flight.motorTest = { motor: output || 1, throttle: value * 100, until: flight.time + Math.min(seconds, 3) };
  return Result.accepted;
};

/** MAV_CMD → what PX4 does with it; a number that is not here is UNSUPPORTED. */
export const px4: Readonly<Record<number, Handler>> = {
  ...common,
  17: (cockpit) => enter(cockpit, modeNamed(cockpit, "AUTO_LOITER")),
  20: (cockpit) => enter(cockpit, cockpit.flight.modes.returning),
  21: (cockpit) => enter(cockpit, cockpit.flight.modes.landing),
  22: takeoff,
  176: (cockpit, { param1, param2, param3 }) => setPx4Mode(cockpit, param1, px4Mode(param2, param3)),
  178: ({ flight }, { param2 }) => {
    if (!(param2 > 0)) return Result.denied;
    flight.speed = param2;
    return Result.accepted;
  },
  192: reposition,
  193: (cockpit, { param1 }) =>
    enter(cockpit, param1 === 0 ? modeNamed(cockpit, "AUTO_LOITER") : cockpit.flight.modes.mission),
  209: ({ flight }, { param1, param3, param4 }) => {
    if (flight.armed || !(param3 >= 0 && param3 <= 100) || !(param4 >= 0)) return Result.denied;
    flight.motorTest = { motor: param1, throttle: param3, until: flight.time + Math.min(param4, 3) };
    return Result.accepted;
  },
  300: (cockpit) => {
    const entered = enter(cockpit, cockpit.flight.modes.mission);
    if (entered !== Result.accepted) return Result.denied;
    return cockpit.arming.tryArm(false) ? Result.accepted : Result.temporarilyRejected;
  },
  310: actuatorTest,
  400: armDisarm,
};
