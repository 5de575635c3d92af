import { positiveInt } from "./fields";
import { httpLimitsGroup } from "./shared";

/** Limits of what one client, or all of them together, may use. */
export const limitsGroup = {
  BODY_LIMIT_BYTES: positiveInt(524_288, "Largest JSON body, in bytes. Some routes declare another limit."),
  ...httpLimitsGroup,
  TELEMETRY_MAX_SOCKETS: positiveInt(10_000, "Socket.IO clients that one process takes at once."),
  TELEMETRY_MAX_SOCKETS_PER_USER: positiveInt(
    1_000,
    "Of them, those of one user, and those of all together who show no valid token.",
  ),
  TELEMETRY_MAX_STREAMS: positiveInt(500, "Drones times streams that one Socket.IO client may watch."),
};
