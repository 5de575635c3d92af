import { z } from "zod";
import { list, milliseconds, port, positiveInt, seconds, secret, secretUrl } from "./fields";

/** Variables of what a hub opens: the jumphost to gateways, the edge to drones. */

export const jumphostGroup = {
  JUMPHOST_PORT: port(5051, "WebSocket through which gateways dial drones."),
  JUMPHOST_SIMULATOR_HOSTS: list(
    "Host names and addresses, comma separated, that the jumphost dials beside drones, at any port. Loopback, metadata, VPN and the node's own addresses are refused all the same.",
  ),
  JUMPHOST_CONNECT_TIMEOUT_MS: milliseconds(4_000, "Longest wait for a vehicle to take a connection."),
  JUMPHOST_IDLE_SECONDS: seconds(60, "A pipe that carries nothing for so long is closed."),
  JUMPHOST_PING_SECONDS: seconds(
    15,
    "How often a gateway is asked for a sign of life; one that gives none by the next time is gone.",
  ),
  JUMPHOST_MAX_FRAME_BYTES: positiveInt(1_048_576, "Largest WebSocket frame that a gateway may send."),
  JUMPHOST_MAX_BUFFERED_BYTES: positiveInt(
    262_144,
    "Bytes that may wait for one side of a pipe before the other is no longer read.",
  ),
  JUMPHOST_MAX_PIPES: positiveInt(20_000, "Most pipes at once."),
  JUMPHOST_MAX_PIPES_PER_VEHICLE: positiveInt(
    8,
    "Most pipes to one vehicle at once; one with a fencing number takes the others' place.",
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
  EDGE_TIMEOUT_SECONDS: seconds(
    30,
    "Longest silence of the gateway or the object store before a drone is answered with 504.",
  ),
  EDGE_MAX_CONNECTIONS_PER_DRONE: positiveInt(32, "Most connections of one drone to the edge at once."),
};
