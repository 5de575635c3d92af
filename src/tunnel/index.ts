import { type PlaneName, planes } from "../domain/tunnel-planes";
import { countRejectedConnections, INTERNAL_LIMITS, limitedServer } from "../http/server/limited-server";
import { closeServer, listen } from "../http/server/listen";
import type { TunnelConfig } from "../platform/config";
import { openObjects } from "../platform/objects/client";
import { ChangeListener } from "../platform/postgres/change-listener";
import { observeDatabase, openDatabase } from "../platform/postgres/db";
import { refuseUnsafeListening, warnOfRelaxedRules } from "../platform/process/access-profile";
import { systemClock } from "../platform/process/clock";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger, type LogDestination, type Logger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { inUrl, isWildcard } from "../platform/process/open-port";
import { healthUrl, reachabilityProbes } from "../platform/process/reachability";
import { Keyring } from "./client-configs/keyring";
import { LocalIndexCopy } from "./client-configs/peer-index";
import { ConfigStore } from "./client-configs/store";
import type { HubForClients } from "./client-configs/text";
import { createEdge, createJumphost, edgePorts } from "./edge-and-jumphost";
import { allowDns, parseExtraAllow } from "./firewall/extra-allow";
import { Firewall } from "./firewall/firewall";
import { identityOf, type LeaseStore, openHub } from "./ha";
import { Endpoints } from "./ha/endpoints";
import { Predecessor } from "./ha/predecessor";
import { lockSingleHub } from "./ha/single-hub";
import { tunnelMetrics } from "./metrics";
import { chooseDataPlane, type DataPlane } from "./os/data-plane";
import { PlanePeers } from "./reconcile/plane-peers";
import { Reconciler } from "./reconcile/reconciler";
import { statusApp } from "./status/app";
import { pollStats } from "./status/stats-poll";
import { StatusView } from "./status/view";
import { hubKey } from "./wireguard/hub-keys";

export { teardown } from "./teardown";
export { startUserspace } from "./wireguard/userspace";

export interface Tunnel {
  /** `http://host:port` of the status API. */
  readonly url: string;
  /** `ws://host:port` */
  readonly jumphostUrl: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly reconciler: Reconciler;
}

const relaxedRules = [
  "the status API answers anyone who reaches it",
  "the jumphost dials drones for anyone who reaches it",
] as const;

/**
 * Build, listen, reconcile; ready once every plane's interface is up. Stopping it stops the daemon only:
 * interfaces, peers and firewall stay as they are, and the next start adopts them. With a Lease one of several hubs
 * serves and the others stand by, and the interfaces are removed before the Lease is released. Without one, it first waits
 * for the hub that it replaces on its node, and rejects when a hub of another node serves the same database.
 */
export async function startTunnel(
  config: TunnelConfig,
  options: {
    dataPlane?: DataPlane;
    checkReplies?: boolean;
    /** Program and arguments of the guard, for one of several hubs. */
    guard?: readonly string[];
    leaseStore?: LeaseStore;
    /** Where its log goes; standard output when absent. */
    logTo?: LogDestination;
  } = {},
): Promise<Tunnel> {
  refuseUnsafeListening(config);
  const log = createLogger("tunnel", config.LOG_LEVEL, options.logTo);
  warnOfRelaxedRules(config, relaxedRules, log);
  const extraAllow = [...allowDns(config.VPN_DNS), ...config.FIREWALL_EXTRA_ALLOW.flatMap(parseExtraAllow)];
  const { os, dataplane } = options.dataPlane ?? (await chooseDataPlane(config, log));
  const lifecycle = new Lifecycle(log, config.SHUTDOWN_DRAIN_SECONDS * 1000);
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL;
  // Before all else, and released last: the hub before may still serve, and the next one begins at once.
  if (config.HUB_LEASE === "none") {
    const before = new Predecessor(config.HUB_LEASE_PATH, log);
    if (config.TUNNEL_PORT !== 0) await before.awaitPort(ownUrl(config));
    const options = { url, identity: identityOf(config), log, wait: () => before.wait() };
    lifecycle.onClose("hub lock", await lockSingleHub(options));
    before.hasEnded();
  }
  const registry = createMetrics("tunnel");
  const metrics = tunnelMetrics(registry);

  const db = openDatabase(config.DATABASE_URL, { poolMax: 2, name: "fleet-tunnel", log });
  observeDatabase(registry, db);
  lifecycle.onClose("database", () => db.destroy());
  const objects = openObjects(config);
  lifecycle.onClose("objects", () => objects.destroy());

  const isActive = () => hub.role.isActive;
  const configStore = new ConfigStore(objects, config.S3_VPN_BUCKET);
  const keyring = new Keyring({
    store: configStore,
    copy: config.TUNNEL_INDEX_COPY ? new LocalIndexCopy(config.TUNNEL_INDEX_COPY, log) : undefined,
    hubs: hubsForClients(config, log),
    log,
    clock: systemClock,
    onKeys: () => reconciler.enqueue("keys"),
    onFailure: (error) => {
      metrics.failed("configs");
      log.error({ err: error }, "Cannot publish client configs; retrying");
    },
    onDamaged: (outcome) => metrics.damagedConfig(outcome),
    onLost: (count) => metrics.lostConfigs(count),
    mayWrite: isActive,
  });
  const endpoints = new Endpoints(configStore, log, isActive);
  lifecycle.onClose("endpoints", async () => {
    await refreshEndpoints();
    await endpoints.stop();
  });
  const planePeers = (name: PlaneName): PlanePeers =>
    new PlanePeers({
      os,
      plane: planes[name],
      settings: () => ({
        plane: planes[name],
        hubKey: hubKey(name, config),
        mtu: name === "users" ? config.USERS_MTU : planes[name].mtu,
        dataplane,
        external: config.TUNNEL_WIREGUARD_EXTERNAL,
        mayCarry: isActive,
      }),
      isActive,
      members: () => reconciler.currentFleet?.byAddress[name],
      hasRules: () => reconciler.hasRules,
      keyring,
      endpoints,
      onHandshakesDue: () => reconciler.enqueue("handshakes"),
      log,
      metrics,
    });
  const live = { users: planePeers("users"), drones: planePeers("drones") };
  const both = Object.values(live);
  const refreshEndpoints = async () => {
    await Promise.allSettled(both.map((plane) => plane.readIfUp()));
  };
  const reconciler = new Reconciler({
    os,
    db,
    firewall: new Firewall(os, { edgePorts: edgePorts(config), extraAllow }),
    planes: both,
    keyring,
    metrics,
    log,
    clock: systemClock,
    tickMs: config.DB_REFRESH_SECONDS * 1000,
    onCycle: () => {
      if (!isActive()) return lifecycle.standBy();
      if (both.every(({ up }) => up)) lifecycle.ready();
      if (live.drones.up) void edge.refresh();
      return undefined;
    },
  });
  const onRejected = countRejectedConnections(registry);
  const deps = {
    onRejected,
    log,
    registry,
    lifecycle,
    isActive,
    fleet: () => reconciler.currentFleet,
    isSettled: (ip: string) => live.drones.isSettled(ip),
  };
  const edge = createEdge(config, deps);
  const jumphost = createJumphost(config, deps);
  const hub = openHub(config, {
    log,
    registry,
    lifecycle,
    loadEndpoints: () => endpoints.load(),
    saveEndpoints: async () => {
      await refreshEndpoints();
      await endpoints.flush();
    },
    guard: options.guard,
    store: options.leaseStore,
    onActive: () => void reconciler.takeRole(),
    onStandby: async () => {
      lifecycle.standBy();
      jumphost.standBy();
      await Promise.all([edge.close(), ...both.map((plane) => plane.shut())]);
      await reconciler.takeRole();
    },
  });
  lifecycle.onClose("client configs", () => keyring.stop());
  lifecycle.onClose("reconciler", () => reconciler.stop());
  const listener = new ChangeListener(url, { log });
  listener.subscribe(reconciler);
  lifecycle.onClose("listener", () => listener.stop());

  const app = statusApp({
    view: new StatusView(live, reconciler, systemClock),
    secret: config.ACCESS_PROFILE === "strict" ? config.TUNNEL_API_SECRET : undefined,
    log,
    registry,
    lifecycle,
    trustedProxies: config.TRUSTED_PROXIES,
    dependencies: {
      postgres: () => db.raw("select 1"),
      ...reachabilityProbes({
        gateway: healthUrl(config.EDGE_GATEWAY_URL),
        redis: config.EDGE_REDIS_URL,
        objects: config.S3_ENDPOINT,
      }),
    },
    checkReplies: options.checkReplies,
  });
  try {
    const server = limitedServer(app.callback(), { ...INTERNAL_LIMITS, onRejected });
    const statusUrl = await listen(server, config.TUNNEL_PORT, config.HOST);
    lifecycle.onDrain("http", () => closeServer(server));
    const jumphostUrl = await jumphost.listen(config.JUMPHOST_PORT, config.HOST);
    keyring.start();
    await hub.start();
    reconciler.start();
    lifecycle.onClose(
      "statistics",
      pollStats(both, () => reconciler.enqueue("repair"), metrics),
    );
    log.info({ url: statusUrl, jumphost_url: jumphostUrl }, "The tunnel service listens");
    return { url: statusUrl, jumphostUrl, log, lifecycle, reconciler };
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
}

/** Of the status API, as this node reaches it. */
const ownUrl = ({ HOST, TUNNEL_PORT }: TunnelConfig): string =>
  `http://${isWildcard(HOST) ? "127.0.0.1" : inUrl(HOST)}:${TUNNEL_PORT}`;

/** A plane whose hub key cannot be used has no entry; its interface says why at each attempt. */
function hubsForClients(config: TunnelConfig, log: Logger): Partial<Record<PlaneName, HubForClients>> {
  const hubs: Partial<Record<PlaneName, HubForClients>> = {};
  for (const plane of ["users", "drones"] as const) {
    try {
      hubs[plane] = {
        plane,
        publicKey: hubKey(plane, config).publicKey,
        endpointHost: config.VPN_ENDPOINT_HOST,
        dns: config.VPN_DNS,
      };
    } catch (error) {
      log.error({ plane, err: error }, "A plane has no usable hub key; the other plane goes on");
    }
  }
  return hubs;
}
