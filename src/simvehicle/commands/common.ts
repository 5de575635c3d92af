import { jumpTo } from "../modes/auto";
import { Severity } from "../reports";
import { type Handler, Result } from "./call";

const MISSION_CURRENT = 42;
const AUTOPILOT_VERSION = 148;
const HOME_POSITION = 242;
const DEFAULT_RATE = 0;
const PREFLIGHT_SECONDS = 1;

const setMessageInterval: Handler = ({ streams, knows, flight }, { param1, param2 }) => {
  if (!knows(param1)) {
    if (flight.autopilot === "ardupilot")
      flight.reports.text(Severity.info, `No ap_message for mavlink id (${param1})`);
    return Result.denied;
  }
  if (param2 === DEFAULT_RATE) streams.setDefault(param1);
  else streams.set(param1, param2 < 0 ? 0 : param2 / 1000);
  return Result.accepted;
};

const requestMessage: Handler = ({ sendNow, flight }, { param1 }) => {
  if (sendNow(param1)) return Result.accepted;
  return flight.autopilot === "px4" ? Result.denied : Result.failed;
};

const setHome: Handler = ({ flight }, call) => {
  if (call.param1 === 1) {
    if (!flight.hasPosition) return Result.failed;
    flight.home = flight.position;
  } else {
    if (!(Math.abs(call.lat) <= 90) || !(Math.abs(call.lng) <= 180)) return Result.denied;
    if (!Number.isFinite(call.z)) return Result.denied;
    flight.home = {
      lat: call.lat,
      lng: call.lng,
      altitude: call.frame === 0 || call.frame === 5 ? call.z : flight.home.altitude + call.z,
    };
  }
  flight.reports.homeChanged();
  return Result.accepted;
};

const setMissionCurrent: Handler = ({ flight, sendNow }, { param1 }) => {
  if (!jumpTo(flight, param1)) return Result.failed;
  sendNow(MISSION_CURRENT);
  return Result.accepted;
};

const reboot: Handler = (cockpit, { param1 }) => {
  if (cockpit.flight.armed) return Result.failed;
  if (param1 !== 1 && param1 !== 3) return Result.unsupported;
  cockpit.reboot();
  return Result.accepted;
};

/** Calibration takes a while, and says so. */
const calibrate: Handler = ({ flight, finishLater }, { command }) => {
  if (flight.armed) {
    flight.reports.text(Severity.notice, "Disarm to allow calibration");
    return Result.failed;
  }
  finishLater(command, PREFLIGHT_SECONDS);
  return Result.inProgress;
};

/** MAV_CMD numbers that both autopilots answer alike. */
export const common: Readonly<Record<number, Handler>> = {
  179: setHome,
  224: setMissionCurrent,
  241: calibrate,
  246: reboot,
  410: ({ sendNow }) => (sendNow(HOME_POSITION) ? Result.accepted : Result.failed),
  511: setMessageInterval,
  512: requestMessage,
  520: ({ sendNow }, { param1 }) =>
    param1 === 1 && sendNow(AUTOPILOT_VERSION) ? Result.accepted : Result.denied,
};
