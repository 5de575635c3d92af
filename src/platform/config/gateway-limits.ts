import { positiveInt } from "./fields";
import { httpLimitsGroup } from "./shared";

/** How much of the gateway one caller, or all of them together, may hold. */
export const limitsGroup = {
  BODY_LIMIT_BYTES: positiveInt(1_048_576, "Largest request body."),
  ...httpLimitsGroup,
  HTTP_MAX_UNREAD_BYTES: positiveInt(
    134_217_728,
    "While so many bytes of long replies wait for their readers, who has left some gets no other one; nobody does while twice as many wait.",
  ),
  HTTP_MAX_UNREAD_BYTES_PER_CALLER: positiveInt(
    33_554_432,
    "The same of one user, one drone, or one address (of IPv6, one /64) of callers without a token.",
  ),
  TELEMETRY_MAX_SOCKETS: positiveInt(10_000, "Socket.IO clients that one process takes at once."),
  TELEMETRY_MAX_SOCKETS_PER_USER: positiveInt(
    1_000,
    "Of them, those of one user, and those of all together who show no valid token.",
  ),
  TELEMETRY_MAX_STREAMS: positiveInt(500, "Drones times streams that one Socket.IO client may watch."),
};
