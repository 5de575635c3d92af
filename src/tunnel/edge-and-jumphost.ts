import { randomBytes } from "node:crypto";
import { objectsPort, redisPort } from "../domain/edge-ports";
import { planes } from "../domain/tunnel-planes";
import type { RejectionReason } from "../http/server/limited-server";
import type { TunnelConfig } from "../platform/config";
import type { Lifecycle } from "../platform/process/lifecycle";
import type { Logger } from "../platform/process/log";
import type { Registry } from "../platform/process/metrics";
import { openRedis } from "../platform/redis/client";
import { LeaseStore } from "../vehicle/cluster";
import { Edge } from "./edge/edge";
import type { OpenPort } from "./firewall/open-port";
import { addressPolicy } from "./jumphost/address-policy";
import { Jumphost } from "./jumphost/jumphost";
import type { Fleet } from "./reconcile/fleet";

/** What the firewall has to let drones reach on the hub. */
export const edgePorts = (config: TunnelConfig): OpenPort[] =>
  [
    config.EDGE_PORT,
    ...(config.EDGE_REDIS_URL ? [redisPort(config.EDGE_PORT)] : []),
    ...(config.S3_ENDPOINT ? [objectsPort(config.EDGE_PORT)] : []),
  ].map((port) => ({ protocol: "tcp", port }));

interface EdgeAndJumphostDeps {
  readonly onRejected: (reason: RejectionReason) => void;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** Whether this hub is the one that serves. */
  readonly isActive: () => boolean;
  /** The rows as last read. */
  readonly fleet: () => Fleet | undefined;
  /** False while a former holder's key may still send from the address. */
  readonly isSettled: (ip: string) => boolean;
}

/** The jumphost; stopped with the process. */
export function createJumphost(
  config: TunnelConfig,
  { onRejected, log, registry, lifecycle, isActive }: EdgeAndJumphostDeps,
): Jumphost {
  const leases = config.EDGE_REDIS_URL ? openLeases(config.EDGE_REDIS_URL, log, lifecycle) : undefined;
  const jumphost = new Jumphost({
    areLinksLeased: config.LINK_LEASES === "redis",
    ...(leases ? { lastFence: (link: string) => leases.lastFence(link) } : {}),
    addresses: addressPolicy({
      simulatorHosts: config.SIMULATOR_HOSTS.map((host) => host.toLowerCase()),
    }),
    secret: config.ACCESS_PROFILE === "strict" ? config.TUNNEL_API_SECRET : undefined,
    from: planes.drones.hub,
    onRejected,
    isActive,
    log,
    registry,
  });
  lifecycle.onDrain("jumphost", () => jumphost.stop());
  return jumphost;
}

/** The gateways' leases, to read their fencing numbers. */
function openLeases(url: string, log: Logger, lifecycle: Lifecycle): LeaseStore {
  const redis = openRedis(url, log);
  lifecycle.onClose("jumphost redis", () => redis.disconnect());
  return new LeaseStore(redis);
}

/** The edge. It listens after the first `refresh` with the interface up. */
export function createEdge(
  config: TunnelConfig,
  { onRejected, log, registry, lifecycle, fleet, isSettled }: EdgeAndJumphostDeps,
): Edge {
  const { S3_ENDPOINT, EDGE_REDIS_URL } = config;
  const edge = new Edge({
    host: planes.drones.hub,
    gateway: { port: config.EDGE_PORT, url: config.EDGE_GATEWAY_URL, secret: config.EDGE_SECRET },
    objects: S3_ENDPOINT
      ? { port: objectsPort(config.EDGE_PORT), url: S3_ENDPOINT, closedBucket: config.S3_VPN_BUCKET }
      : undefined,
    redis: EDGE_REDIS_URL
      ? {
          port: redisPort(config.EDGE_PORT),
          url: EDGE_REDIS_URL,
          secret: config.EDGE_SECRET ?? randomBytes(32).toString("base64url"),
        }
      : undefined,
    live: () => fleet()?.byAddress.drones,
    isSettled,
    onRejected,
    log,
    registry,
  });
  lifecycle.onDrain("edge", () => edge.stop());
  return edge;
}
