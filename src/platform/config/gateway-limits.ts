import { positiveInt } from "./fields";
import { httpLimitsGroup } from "./shared";

/** How much of the gateway one caller, or all of them together, may hold. */
export const limitsGroup = {
  BODY_LIMIT_BYTES: positiveInt(1_048_576, "Largest request body."),
  ...httpLimitsGroup,
  TELEMETRY_MAX_SOCKETS: positiveInt(10_000, "Socket.IO clients that one process takes at once."),
  TELEMETRY_MAX_STREAMS: positiveInt(500, "Drones times streams that one Socket.IO client may watch."),
};
