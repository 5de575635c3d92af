import { z } from "zod";
import { fault, flag, limit, origins, port, positiveInt, requires, secret } from "./fields";
import {
  billingGroup,
  consoleGroup,
  provisioningGroup,
  simulationGroup,
  vehicleGroup,
  videoGroup,
} from "./gateway-features";
import { replicasGroup } from "./gateway-replicas";
import { quotasGroup } from "./quotas";
import {
  accessGroup,
  differentBuckets,
  httpLimitsGroup,
  jobsGroup,
  processGroup,
  redisGroup,
} from "./shared";

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
    ...consoleGroup,
    CORS_ORIGINS: origins("Origins that browsers may call from, comma separated; `*` allows any."),
    ...httpLimitsGroup,
    TELEMETRY_MAX_SOCKETS: positiveInt(
      10_000,
      "Socket.IO clients of one process at once. All clients without a valid token together may have a tenth.",
    ),
    ...quotasGroup,
    LOGIN_FAILURES_PER_15_MINUTES: limit(
      10,
      "Failed logins or activations that one address (IPv6: one /64) may make on one account; 0 turns the limit off.",
    ),
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: limit(
      100,
      "Failed logins that one address (IPv6: one /64) may make on all accounts together. One IPv6 /48 may make four times as many. 0 turns the limit off. A network is let past it to accounts that were logged in to from there within 30 days. Clients behind a proxy that is not in TRUSTED_PROXIES share its address.",
    ),
  })
  .refine(...differentBuckets)
  .refine(...requires("EDGE_SECRET", { ACCESS_PROFILE: "strict" }))
  .refine(
    ({ CONSOLE_MAP_STYLE, CONSOLE_MAP_FILE, CONSOLE_MAP_OBJECT }) =>
      [CONSOLE_MAP_STYLE, CONSOLE_MAP_FILE, CONSOLE_MAP_OBJECT].filter((map) => map !== undefined).length < 2,
    fault("CONSOLE_MAP_STYLE", "is one base map; set one of it, CONSOLE_MAP_FILE and CONSOLE_MAP_OBJECT"),
  )
  .refine(...requires("GATEWAY_PEER_SECRET", { LINK_LEASES: "redis" }))
  .refine(...requires("EC2_INSTANCE_ID", { SIMULATION_PROVIDER: "ec2" }))
  .refine(
    ({ SIMULATION_PROVIDER, SIMULATOR_PORT }) => SIMULATION_PROVIDER !== "process" || SIMULATOR_PORT > 0,
    fault("SIMULATOR_PORT", "must not be 0 with SIMULATION_PROVIDER=process"),
  )
  .refine(...requires("TUNNEL_API_SECRET", { ACCESS_PROFILE: "strict", VPN_SERVICE_URL: true }))
  .refine(
    ({ REGISTRY_USERNAME, REGISTRY_PASSWORD }) =>
      (REGISTRY_USERNAME === undefined) === (REGISTRY_PASSWORD === undefined),
    fault("REGISTRY_PASSWORD", "belongs to REGISTRY_USERNAME; set both or none"),
  );
export type GatewayConfig = z.infer<typeof gatewayConfig>;
