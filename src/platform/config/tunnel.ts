import { z } from "zod";
import { fault, flag, list, port, seconds, secret } from "./fields";
import { guardGroup, hubLeaseGroup } from "./hub-lease";
import { edgeGroup, jumphostGroup } from "./hub-servers";
import {
  accessGroup,
  directDatabaseGroup,
  LINK_LEASES,
  objectsGroup,
  processGroup,
  tunnelApiGroup,
} from "./shared";

const dataplane = z
  .enum(["auto", "kernel", "wireguard-go", "dry-run"])
  .default("auto")
  .describe(
    "WireGuard implementation. `auto`: the kernel's WireGuard, else wireguard-go, else, with DEPLOYMENT=local only, `dry-run`, which changes nothing and logs the commands.",
  );

export const tunnelConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    TUNNEL_PORT: port(5050, "Status API of the tunnel service."),
    ...tunnelApiGroup,
    ...directDatabaseGroup,
    S3_ENDPOINT: objectsGroup.S3_ENDPOINT,
    S3_REGION: objectsGroup.S3_REGION,
    S3_VPN_BUCKET: objectsGroup.S3_VPN_BUCKET,
    S3_ACCESS_KEY_ID: objectsGroup.S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: objectsGroup.S3_SECRET_ACCESS_KEY,
    VPN_ENDPOINT_HOST: z
      .string()
      .min(1)
      .describe("Host name or address at which VPN clients reach this hub; part of every client config."),
    VPN_DNS: z.ipv4().default("172.31.0.2").describe("DNS server that client configs name."),
    USERS_PRIVATE_KEY: secret(
      "WireGuard private key of the user plane's hub. Kept in TUNNEL_STATE_FOLDER when absent.",
    ).optional(),
    DRONES_PRIVATE_KEY: secret(
      "WireGuard private key of the drone plane's hub. Kept in TUNNEL_STATE_FOLDER when absent.",
    ).optional(),
    TUNNEL_STATE_FOLDER: z
      .string()
      .optional()
      .describe("Folder for hub keys that no variable gives; for a laptop."),
    TUNNEL_INDEX_COPY: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with a copy of the index of public keys. A daemon that starts while the object store is away opens the pairs of live peers by it. Only root may write to its folder.",
      ),
    TUNNEL_DATAPLANE: dataplane,
    TUNNEL_WIREGUARD_EXTERNAL: flag(
      false,
      "Whether another process runs wireguard-go (`tunnel --userspace`). The daemon then waits for its interfaces instead of starting one.",
    ),
    USERS_MTU: z.coerce
      .number()
      .int()
      .min(576)
      .max(9000)
      .default(1500)
      .describe("MTU of the hub's users0. 1420 avoids fragments on an underlay with an MTU of 1500."),
    DB_REFRESH_SECONDS: seconds(
      10,
      "Interval of the full comparison with the database. Changes are applied at once.",
    ),
    LINK_LEASES,
    ...jumphostGroup,
    ...edgeGroup,
    ...hubLeaseGroup,
    FIREWALL_EXTRA_ALLOW: list(
      "Destinations opened beyond owners' drones and DNS, comma separated: `[users>|drones>|CIDR>]CIDR[:tcp/PORT|:udp/PORT]`.",
    ),
  })
  .refine(
    ({ ACCESS_PROFILE, TUNNEL_API_SECRET }) => ACCESS_PROFILE !== "strict" || TUNNEL_API_SECRET !== undefined,
    fault("TUNNEL_API_SECRET", "is required with ACCESS_PROFILE=strict"),
  )
  .refine(
    ({ ACCESS_PROFILE, EDGE_GATEWAY_URL, EDGE_SECRET }) =>
      ACCESS_PROFILE !== "strict" || EDGE_GATEWAY_URL === undefined || EDGE_SECRET !== undefined,
    fault("EDGE_SECRET", "is required with EDGE_GATEWAY_URL and ACCESS_PROFILE=strict"),
  )
  .refine(
    ({ LINK_LEASES, EDGE_REDIS_URL }) => LINK_LEASES !== "redis" || EDGE_REDIS_URL !== undefined,
    fault("EDGE_REDIS_URL", "is required with LINK_LEASES=redis: the numbers of leases are there"),
  )
  .refine(
    ({ HUB_LEASE, USERS_PRIVATE_KEY, DRONES_PRIVATE_KEY }) =>
      HUB_LEASE === "none" || (USERS_PRIVATE_KEY !== undefined && DRONES_PRIVATE_KEY !== undefined),
    fault(
      "USERS_PRIVATE_KEY",
      "is required, as is DRONES_PRIVATE_KEY, with HUB_LEASE: hubs have the same keys",
    ),
  );
export type TunnelConfig = z.infer<typeof tunnelConfig>;

/** `tunnel --guard`, which takes the planes down when a hub's lease has run out. */
export const tunnelGuardConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  SHUTDOWN_DRAIN_SECONDS: processGroup.SHUTDOWN_DRAIN_SECONDS,
  ...guardGroup,
});
export type TunnelGuardConfig = z.infer<typeof tunnelGuardConfig>;

/** `tunnel --userspace`, which runs wireguard-go and nothing else. */
export const tunnelUserspaceConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  SHUTDOWN_DRAIN_SECONDS: processGroup.SHUTDOWN_DRAIN_SECONDS,
  TUNNEL_DATAPLANE: dataplane,
});
export type TunnelUserspaceConfig = z.infer<typeof tunnelUserspaceConfig>;
