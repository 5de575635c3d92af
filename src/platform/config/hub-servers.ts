import { z } from "zod";
import { list, port, secret, secretUrl } from "./fields";

/** Variables of the hub's servers: the jumphost, which gateways use, and the edge, which drones use. */

export const jumphostGroup = {
  JUMPHOST_PORT: port(5051, "WebSocket through which gateways dial drones."),
  SIMULATOR_HOSTS: list(
    "Host names and addresses, comma separated, that the jumphost dials beside drones, at any port. Loopback, metadata, VPN and the node's own addresses are refused all the same.",
  ),
};

export const edgeGroup = {
  EDGE_PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_533)
    .default(8088)
    .describe(
      "Port of the edge on the drone plane's hub address. The next port is Redis (with EDGE_REDIS_URL), the one after it the object store (with S3_ENDPOINT).",
    ),
  EDGE_GATEWAY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "Origin of the gateway's drone-only port (its main port in the contract profile), to which the edge forwards drones' requests. They are answered with 502 without it.",
    ),
  EDGE_SECRET: secret(
    "Shared secret that the edge presents on the gateway's drone-only port.",
    16,
  ).optional(),
  EDGE_REDIS_URL: secretUrl(
    "Redis, as a user that may ACL SETUSER, DELUSER and USERS, for the edge makes each drone a user of its own, and GET fleet:link:*, where the jumphost finds the holders' fencing numbers.",
  ).optional(),
};
