import { positiveInt } from "./fields";

/** How much of the gateway one caller, or all of them together, may hold. */
export const limitsGroup = {
  BODY_LIMIT_BYTES: positiveInt(1_048_576, "Largest request body."),
  HTTP_HEADERS_SECONDS: positiveInt(
    15,
    "A connection that has not sent a request's headers for so long is closed.",
  ),
  HTTP_REQUEST_SECONDS: positiveInt(60, "A request that has not come whole for so long is closed."),
  HTTP_MAX_CONNECTIONS: positiveInt(
    20_000,
    "Connections that one port takes at once, WebSockets among them.",
  ),
  TELEMETRY_MAX_SOCKETS: positiveInt(10_000, "Socket.IO clients that one process takes at once."),
  TELEMETRY_MAX_STREAMS: positiveInt(500, "Drones times streams that one Socket.IO client may watch."),
};
