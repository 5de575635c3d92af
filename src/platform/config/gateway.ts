import { z } from "zod";
import { fault, flag, origins, port, secret } from "./fields";
import {
  billingGroup,
  provisioningGroup,
  simulationGroup,
  vehicleGroup,
  videoGroup,
} from "./gateway-features";
import { limitsGroup } from "./gateway-limits";
import { replicasGroup } from "./gateway-replicas";
import { quotasGroup } from "./quotas";
import { accessGroup, areBucketsApart, BUCKETS_FAULT, jobsGroup, processGroup, redisGroup } from "./shared";

export const gatewayConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    GATEWAY_PORT: port(8080, "HTTP API and Socket.IO."),
    GATEWAY_DRONE_PORT: port(8081, "Drone-only HTTP port of the strict profile."),
    EDGE_SECRET: secret(
      "Shared secret that the tunnel's edge presents on the drone-only port.",
      16,
    ).optional(),
    ...jobsGroup,
    ...redisGroup,
    JWT_SECRET: secret("Signs every token. At least 32 characters.", 32),
    ENABLE_REGISTRATION: flag(true, "Whether people may register themselves."),
    WORKER_IN_PROCESS: flag(true, "Whether the gateway does background jobs itself, beside `cmd/worker`."),
    ...billingGroup,
    ...videoGroup,
    ...simulationGroup,
    ...vehicleGroup,
    ...replicasGroup,
    ...provisioningGroup,
    CORS_ORIGINS: origins("Origins that browsers may call from, comma separated; `*` allows any."),
    ...limitsGroup,
    ...quotasGroup,
    LOGIN_FAILURES_PER_15_MINUTES: z.coerce
      .number()
      .int()
      .min(0)
      .default(10)
      .describe(
        "Failed logins or activations that one address (IPv6: one /64) may make on one account; 0 turns the limit off.",
      ),
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: z.coerce
      .number()
      .int()
      .min(0)
      .default(100)
      .describe(
        "Failed logins that one address (IPv6: one /64) may make on all accounts together; one IPv6 /48 may make four times as many. 0 turns the limit off. A network is let past it to accounts that were logged in to from there within 30 days. Clients behind a proxy that is not in TRUSTED_PROXIES share its address.",
      ),
  })
  .refine(areBucketsApart, BUCKETS_FAULT)
  .refine(
    ({ ACCESS_PROFILE, EDGE_SECRET }) => ACCESS_PROFILE !== "strict" || EDGE_SECRET !== undefined,
    fault("EDGE_SECRET", "is required with ACCESS_PROFILE=strict"),
  )
  .refine(
    ({ LINK_LEASES, GATEWAY_PEER_SECRET }) => LINK_LEASES !== "redis" || GATEWAY_PEER_SECRET !== undefined,
    fault("GATEWAY_PEER_SECRET", "is required with LINK_LEASES=redis"),
  )
  .refine(
    ({ SIMULATION_PROVIDER, EC2_INSTANCE_ID }) =>
      SIMULATION_PROVIDER !== "ec2" || EC2_INSTANCE_ID !== undefined,
    fault("EC2_INSTANCE_ID", "is required with SIMULATION_PROVIDER=ec2"),
  )
  .refine(
    ({ ACCESS_PROFILE, VPN_SERVICE_URL, TUNNEL_API_SECRET }) =>
      ACCESS_PROFILE !== "strict" || VPN_SERVICE_URL === undefined || TUNNEL_API_SECRET !== undefined,
    fault("TUNNEL_API_SECRET", "is required with ACCESS_PROFILE=strict and VPN_SERVICE_URL"),
  )
  .refine(
    ({ REGISTRY_USERNAME, REGISTRY_PASSWORD }) =>
      (REGISTRY_USERNAME === undefined) === (REGISTRY_PASSWORD === undefined),
    fault("REGISTRY_PASSWORD", "belongs to REGISTRY_USERNAME; set both or none"),
  );
export type GatewayConfig = z.infer<typeof gatewayConfig>;
