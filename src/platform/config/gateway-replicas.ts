import { z } from "zod";
import { port, secret } from "./fields";
import { LINK_LEASES } from "./shared";

/** How the replicas of the gateway share drones and watchers. */
export const replicasGroup = {
  LINK_LEASES,
  GATEWAY_PEER_PORT: port(
    8082,
    "`redis`: port at which the other replicas use this one's links to vehicles.",
  ),
  GATEWAY_PEER_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, "must be a host name or an address")
    .optional()
    .describe(
      "`redis`: name or address at which the other replicas reach GATEWAY_PEER_PORT, such as the pod's. When absent, HOST, or the machine's first address where HOST is a wildcard.",
    ),
  GATEWAY_PEER_SECRET: secret("`redis`: shared secret of the replicas.", 16).optional(),
};
