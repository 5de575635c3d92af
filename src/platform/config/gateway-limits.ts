import { positiveInt } from "./fields";
import { httpLimitsGroup } from "./shared";

/** Limits of what one client, or all of them together, may use. */
export const limitsGroup = {
  BODY_LIMIT_BYTES: positiveInt(524_288, "Largest JSON body, in bytes. Some routes declare another limit."),
  ...httpLimitsGroup,
  TELEMETRY_MAX_SOCKETS: positiveInt(
    10_000,
    "Socket.IO clients of one process at once. All clients without a valid token together may have a tenth.",
  ),
  TELEMETRY_MAX_STREAMS: positiveInt(500, "Streams, over all drones, that one Socket.IO client may watch."),
};
