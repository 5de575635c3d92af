import { randomBytes } from "node:crypto";
import { planes } from "../domain/tunnel-planes";
import type { RejectionReason } from "../http/server/limited-server";
import type { TunnelConfig } from "../platform/config";
import type { Lifecycle } from "../platform/process/lifecycle";
import type { Logger } from "../platform/process/log";
import type { Registry } from "../platform/process/metrics";
import { openRedis } from "../platform/redis/client";
import { LeaseStore } from "../vehicle/cluster";
import { Edge } from "./edge/edge";
import type { LiveDrone, LiveDrones } from "./edge/guests";
import type { OpenPort } from "./firewall/pairs";
import { Jumphost } from "./jumphost/jumphost";
import { Reach } from "./jumphost/reach";
import type { Fleet } from "./reconcile/fleet";

/** A gateway gives a vehicle's link 5 s; the jumphost's answer has to come before that. */
const JUMPHOST_CONNECT_MS = 4_000;
/** A vehicle sends a heartbeat each second: a minute without a byte is a dead link. */
const JUMPHOST_IDLE_MS = 60_000;
/** A gateway that is gone is noticed within two pings, half of what the idle limit would take. */
const JUMPHOST_PING_MS = 15_000;
/** A MAVLink frame has 280 bytes; gateways send many in one WebSocket frame. */
const JUMPHOST_MAX_FRAME_BYTES = 1_048_576;
/** About 10 s of a busy telemetry link. */
const JUMPHOST_MAX_BUFFERED_BYTES = 262_144;
/** Twice the largest fleet that is measured; each pipe holds two descriptors. */
const JUMPHOST_MAX_PIPES = 20_000;
/** Autopilots and mavlink-router serve a handful of TCP clients. */
const JUMPHOST_MAX_PIPES_PER_VEHICLE = 8;

/** The longest silence of the gateway or the object store before a drone is answered with 504. */
const EDGE_SILENCE_MS = 30_000;
/** An onboard computer holds a few: its agent, uploads and Redis. */
const EDGE_MAX_CONNECTIONS_PER_DRONE = 32;

/** What the firewall has to let drones reach on the hub. */
export const edgePorts = (config: TunnelConfig): OpenPort[] =>
  [
    config.EDGE_PORT,
    ...(config.EDGE_REDIS_URL ? [config.EDGE_REDIS_PORT] : []),
    ...(config.S3_ENDPOINT ? [config.EDGE_OBJECTS_PORT] : []),
  ].map((port) => ({ protocol: "tcp", port }));

interface Surroundings {
  readonly onRejected: (reason: RejectionReason) => void;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** Whether this hub is the one that serves. */
  readonly isActive: () => boolean;
  /** The rows as last read. */
  readonly fleet: () => Fleet | undefined;
  /** Whether nobody but the fleet's drone answers to an address of the drone plane. */
  readonly isSettled: (ip: string) => boolean;
}

/** The jumphost, which gateways come to; stopped with the process. */
export function openJumphost(
  config: TunnelConfig,
  { onRejected, log, registry, lifecycle, isActive }: Surroundings,
): Jumphost {
  const leases = config.EDGE_REDIS_URL ? openLeases(config.EDGE_REDIS_URL, log, lifecycle) : undefined;
  const jumphost = new Jumphost({
    areLinksLeased: config.LINK_LEASES === "redis",
    ...(leases ? { lastFence: (link: string) => leases.lastFence(link) } : {}),
    reach: new Reach({
      simulatorHosts: config.JUMPHOST_SIMULATOR_HOSTS.map((host) => host.toLowerCase()),
    }),
    secret: config.ACCESS_PROFILE === "strict" ? config.TUNNEL_API_SECRET : undefined,
    connectMs: JUMPHOST_CONNECT_MS,
    idleMs: JUMPHOST_IDLE_MS,
    pingMs: JUMPHOST_PING_MS,
    maxFrameBytes: JUMPHOST_MAX_FRAME_BYTES,
    maxBufferedBytes: JUMPHOST_MAX_BUFFERED_BYTES,
    maxPipes: JUMPHOST_MAX_PIPES,
    maxPipesPerVehicle: JUMPHOST_MAX_PIPES_PER_VEHICLE,
    from: planes.drones.hub,
    onRejected,
    isActive,
    log,
    registry,
  });
  lifecycle.onDrain("jumphost", () => jumphost.stop());
  return jumphost;
}

/** The gateways' leases, of which nothing is read but the fencing numbers. */
function openLeases(url: string, log: Logger, lifecycle: Lifecycle): LeaseStore {
  const redis = openRedis(url, log);
  lifecycle.onClose("jumphost redis", () => redis.disconnect());
  return new LeaseStore(redis);
}

/** The edge, which drones come to; it opens when it is attended with the interface up. */
export function openEdge(
  config: TunnelConfig,
  { onRejected, log, registry, lifecycle, fleet, isSettled }: Surroundings,
): Edge {
  const { S3_ENDPOINT, EDGE_REDIS_URL } = config;
  const edge = new Edge({
    host: planes.drones.hub,
    gateway: { port: config.EDGE_PORT, url: config.EDGE_GATEWAY_URL, secret: config.EDGE_SECRET },
    objects: S3_ENDPOINT
      ? { port: config.EDGE_OBJECTS_PORT, url: S3_ENDPOINT, closedBucket: config.S3_VPN_BUCKET }
      : undefined,
    redis: EDGE_REDIS_URL
      ? {
          port: config.EDGE_REDIS_PORT,
          url: EDGE_REDIS_URL,
          secret: config.EDGE_SECRET ?? randomBytes(32).toString("base64url"),
        }
      : undefined,
    live: liveDrones(fleet),
    isSettled,
    silenceMs: EDGE_SILENCE_MS,
    maxConnectionsPerDrone: EDGE_MAX_CONNECTIONS_PER_DRONE,
    onRejected,
    log,
    registry,
  });
  lifecycle.onDrain("edge", () => edge.stop());
  return edge;
}

/** Made once for each reading of the rows. */
function liveDrones(fleet: () => Fleet | undefined): LiveDrones {
  let made: { readonly of: Fleet; readonly drones: ReadonlyMap<string, LiveDrone> } | undefined;
  return () => {
    const of = fleet();
    if (of && made?.of !== of) made = { of, drones: new Map(of.drones.map((drone) => [drone.ip, drone])) };
    return of && made?.drones;
  };
}
