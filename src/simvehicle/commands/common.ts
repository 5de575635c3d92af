import { Severity } from "../reports";
import { type Handler, Result } from "./call";

const HOME_POSITION = 242;
const DEFAULT_RATE = 0;

const setMessageInterval: Handler = ({ streams, hasMessage: knows, flight }, { param1, param2 }) => {
  if (!knows(param1)) {
    if (flight.autopilot === "ardupilot")
      flight.reports.text(Severity.info, `No ap_message for mavlink id (${param1})`);
    return Result.denied;
  }
  if (param2 === DEFAULT_RATE) streams.setDefault(param1);
  else streams.set(param1, param2 < 0 ? 0 : param2 / 1000);
  return Result.accepted;
};

const requestMessage: Handler = ({ sendOnce: sendNow, flight }, { param1 }) => {
  if (sendNow(param1)) return Result.accepted;
  return flight.autopilot === "px4" ? Result.denied : Result.failed;
};

/** MAV_CMD numbers that both autopilots answer alike. */
export const common: Readonly<Record<number, Handler>> = {
  410: ({ sendOnce: sendNow }) => (sendNow(HOME_POSITION) ? Result.accepted : Result.failed),
  511: setMessageInterval,
  512: requestMessage,
};
