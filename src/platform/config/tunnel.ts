import { z } from "zod";
import { choice, flag, integer, list, port, requires, seconds, secret, text } from "./fields";
import { guardGroup, hubLeaseGroup } from "./hub-lease";
import { edgeGroup, jumphostGroup } from "./hub-servers";
import {
  accessGroup,
  directDatabaseGroup,
  LINK_LEASES,
  objectsGroup,
  processGroup,
  storeGroup,
  tunnelApiGroup,
} from "./shared";

const dataplane = choice(
  ["auto", "kernel", "wireguard-go", "dry-run"],
  "auto",
  "WireGuard implementation. `auto`: the kernel's WireGuard, else wireguard-go, else, with DEPLOYMENT=local only, `dry-run`, which changes nothing and logs the commands.",
);

export const tunnelConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    TUNNEL_PORT: port(5050, "Status API of the tunnel service."),
    ...tunnelApiGroup,
    ...directDatabaseGroup,
    ...storeGroup,
    S3_VPN_BUCKET: objectsGroup.S3_VPN_BUCKET,
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
    TUNNEL_STATE_FOLDER: text("Folder for hub keys that no variable gives; for a laptop."),
    TUNNEL_INDEX_COPY: text(
      "File with a copy of the index of public keys. A daemon that starts while the object store is away opens the pairs of live peers by it. Only root may write to its folder.",
    ),
    TUNNEL_DATAPLANE: dataplane,
    TUNNEL_WIREGUARD_EXTERNAL: flag(
      false,
      "Whether another process runs wireguard-go (`tunnel --userspace`). The daemon then waits for its interfaces instead of starting one.",
    ),
    USERS_MTU: integer(
      [576, 9000],
      1500,
      "MTU of the hub's users0. 1420 avoids fragments on an underlay with an MTU of 1500.",
    ),
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
  .refine(...requires("TUNNEL_API_SECRET", { ACCESS_PROFILE: "strict" }))
  .refine(...requires("EDGE_SECRET", { EDGE_GATEWAY_URL: true, ACCESS_PROFILE: "strict" }))
  .refine(...requires("EDGE_REDIS_URL", { LINK_LEASES: "redis" }, ": the numbers of leases are there"))
  .refine(...requires("USERS_PRIVATE_KEY", { HUB_LEASE: "kubernetes" }, ": hubs have the same keys"))
  .refine(...requires("DRONES_PRIVATE_KEY", { HUB_LEASE: "kubernetes" }, ": hubs have the same keys"));
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
