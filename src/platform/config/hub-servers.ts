import { z } from "zod";
import { list, port, secret, secretUrl } from "./fields";

/** Variables of the hub's servers: the jumphost, which gateways use, and the edge, which drones use. */

export const jumphostGroup = {
  JUMPHOST_PORT: port(5051, "WebSocket through which gateways dial drones."),
  JUMPHOST_SIMULATOR_HOSTS: list(
    "Host names and addresses, comma separated, that the jumphost dials beside drones, at any port. Loopback, metadata, VPN and the node's own addresses are refused all the same.",
  ),
};

export const edgeGroup = {
  EDGE_PORT: port(8088, "Port of the edge on the drone plane's hub address, which drones may reach."),
  EDGE_REDIS_PORT: port(
    8089,
    "Port on the same address that opens Redis to a drone, for its own channels only. Shut without EDGE_REDIS_URL.",
  ),
  EDGE_OBJECTS_PORT: port(
    8090,
    "Port on the same address that forwards presigned requests to S3_ENDPOINT; S3_DRONE_ENDPOINT names it. Shut without S3_ENDPOINT.",
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
