import { z } from "zod";
import { integer, port, secret, secretUrl } from "./fields";
import { SIMULATOR_HOSTS } from "./shared";

/** Variables of the hub's servers: the jumphost, which gateways use, and the edge, which drones use. */

export const jumphostGroup = {
  JUMPHOST_PORT: port(5051, "WebSocket through which gateways dial drones."),
  SIMULATOR_HOSTS,
};

export const edgeGroup = {
  EDGE_PORT: integer(
    [1, 65_533],
    8088,
    "Port of the edge on the drone plane's hub address. The next port is Redis (with EDGE_REDIS_URL), the one after it the object store (with S3_ENDPOINT).",
  ),
  EDGE_GATEWAY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "Origin of the gateway's drone-only port (its main port in the contract profile), to which the edge forwards drones' requests. Without it the edge answers 502.",
    ),
  EDGE_SECRET: secret(
    "Shared secret that the edge presents on the gateway's drone-only port.",
    16,
  ).optional(),
  EDGE_REDIS_URL: secretUrl(
    "Redis for drones and for links' fencing numbers. Its user needs ACL SETUSER, DELUSER and USERS, because the edge creates a Redis user for each drone, and GET fleet:link:*.",
  ).optional(),
};
