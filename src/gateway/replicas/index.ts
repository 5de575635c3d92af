import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";
import { droneOf, findDrones, linkTargets } from "../../features/drones";
import { headersSeconds, limitedServer, type ServerLimits } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { GatewayConfig } from "../../platform/config";
import { inUrl, isWildcard } from "../../platform/process/open-port";
import { Subscriber } from "../../platform/redis/subscriber";
import type { Services } from "../../platform/services";
import type { VehicleOptions } from "../../vehicle";
import {
  ClusterLinks,
  LeaseStore,
  Leases,
  Orphans,
  ReplicaClient,
  replicaListener,
} from "../../vehicle/cluster";
import { openPool } from "../links";
import { countReplicas } from "./metrics";

/** The connections of this gateway with its other replicas. */
export interface Replicas {
  readonly links: ClusterLinks;
  readonly subscriber: Subscriber;
  /** Answers the other replicas, and advertises the address for it. */
  serve(): Promise<void>;
}

/** Longer than a garbage collection or a failing Redis connection; a vehicle has no holder for this long after a crash. */
const LEASE_MS = 2_000;
/** Every replica closes what it has open to the drone that is named here. */
const CLOSE_CHANNEL = "fleet:links:close";

export function openReplicas(
  config: GatewayConfig,
  { log, registry, lifecycle, db, redis }: Pick<Services, "log" | "registry" | "lifecycle" | "db" | "redis">,
  options: Pick<VehicleOptions, "tap" | "records" | "follow">,
): Replicas {
  const secret = config.GATEWAY_PEER_SECRET as string;
  const counts = countReplicas(registry);
  const replica = randomUUID();
  const orphans = new Orphans({
    redis,
    replica,
    ttlMs: LEASE_MS,
    adopt: async (keys) => {
      log.warn({ links: keys.length }, "Opening the vehicle links of a gateway that was lost");
      return links.adopt(linkTargets(config, await findDrones(db, keys.map(droneOf))));
    },
  });
  const leases = new Leases({
    store: new LeaseStore(redis),
    replica,
    ttlMs: LEASE_MS,
    needed: (key) => pool.has(key),
    onLost: (key, reason) => {
      log.warn({ link: key, reason }, "Vehicle link closed: its lease was lost");
      links.onLeaseLost(key);
    },
    observers: [counts.leases, orphans],
  });
  const pool = openPool(
    config,
    { log, registry },
    { mayUse: ({ key, fence }) => leases.covers(key, fence), sharedClaims: leases, ...options },
  );
  const links = new ClusterLinks({
    pool,
    leases,
    replicas: new ReplicaClient(secret, counts.replicaRequest),
    broadcastClose: (key, reason) => redis.publish(CLOSE_CHANNEL, `${leases.replica} ${key} ${reason}`),
    waitMs: config.LINK_CONNECT_TIMEOUT_MS,
  });
  counts.watch({ leases: () => leases.size, feeds: () => links.remoteSubscriptions });
  const subscriber = new Subscriber(config.REDIS_URL, log);
  lifecycle.onClose("redis subscriber", () => subscriber.close());
  subscriber.onMessage(CLOSE_CHANNEL, (text) => {
    const [from, key = "", ...reason] = text.split(" ");
    if (from !== leases.replica) links.close(key, reason.join(" "));
  });
  // Orders had the drain's time to finish. A released lease lets another replica have the drone at once.
  lifecycle.onClose("vehicle links", () => {
    orphans.end();
    return links.drain(0);
  });
  const serve = async () => {
    const server = limitedServer(replicaListener(secret, links.handle, log), peerLimits(config));
    const { port } = new URL(await listen(server, config.GATEWAY_PEER_PORT, config.HOST));
    lifecycle.onClose("replica http", () => closeServer(server));
    const host = config.GATEWAY_PEER_HOST ?? (isWildcard(config.HOST) ? ownAddress() : config.HOST);
    leases.advertise(`http://${inUrl(host)}:${port}`);
  };
  return { links, subscriber, serve };
}

/** A replica opens a connection for each call to another one, and keeps some for the next calls. */
const peerLimits = (config: GatewayConfig): ServerLimits => ({
  headersSeconds: headersSeconds(config),
  requestSeconds: config.HTTP_REQUEST_SECONDS,
  keepAliveSeconds: 60,
  maxConnections: config.HTTP_MAX_CONNECTIONS,
  maxConnectionsPerAddress: 0,
});

/** The machine's first address that other machines can reach. */
export function ownAddress(interfaces = networkInterfaces()): string {
  const outside = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address));
  const own = outside.find(({ family }) => family === "IPv4") ?? outside[0];
  return own?.address ?? "127.0.0.1";
}

/** Reachable on one network interface only. */
const LINK_LOCAL = /^fe[89ab]/i;
