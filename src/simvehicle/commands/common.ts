import { Severity } from "../reports";
import { type Handler, Result } from "./call";

const setMessageInterval: Handler = ({ streams, hasMessage: knows, flight }, { param1, param2 }) => {
  if (!knows(param1)) {
    if (flight.autopilot === "ardupilot")
      flight.reports.text(Severity.INFO, `No ap_message for mavlink id (${param1})`);
    return Result.DENIED;
  }
  if (!(param2 > 0)) return Result.DENIED;
  streams.set(param1, param2 / 1000);
  return Result.ACCEPTED;
};

const requestMessage: Handler = ({ sendOnce: sendNow, flight }, { param1 }) => {
  if (sendNow(param1)) return Result.ACCEPTED;
  return flight.autopilot === "px4" ? Result.DENIED : Result.FAILED;
};

/** MAV_CMD numbers that both autopilots answer alike. */
export const common: Readonly<Record<number, Handler>> = {
  511: setMessageInterval,
  512: requestMessage,
};
