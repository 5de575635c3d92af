import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrationSource } from "../../../../migrations";
import { assertPortIsFree } from "../../../laptop/free-port";
import { startPostgres } from "../../../laptop/servers/postgres";
import { startRedis } from "../../../laptop/servers/redis";
import type { ServerProcess } from "../../../laptop/servers/server-process";
import { migrateJobs } from "../../../platform/jobs/jobs";
import { type Db, openDatabase } from "../../../platform/postgres/db";
import { quotaNames } from "../../../platform/quotas/table";
import { generateKeyPair } from "../../../tunnel/wireguard/keys";
import { atEndOfFile } from "../../clean-up";
import { FakeLeases } from "../../fakes/fake-leases";
import { freshFolder, freshMail } from "../../fresh-servers";
import { compiledPrograms } from "../../programs/programs";
import { TEST_ARCHIVE_KEY, TEST_JWT_SECRET } from "../../worlds/start-gateway";
import { FaultTarget } from "./fault-target";
import { LeaseHolders } from "./lease-holders";
import { Network, type NetworkPath } from "./network";
import { entrypoint, startProgram, testProgram } from "./program";

export const WEBHOOK_SECRET = "whsec_for_faults_only";
/** The secrets of the tunnel's edge and of its status API. */
export const EDGE_SECRET = "a secret of the edge's own";
export const TUNNEL_SECRET = "a secret of the tunnel's own";

export interface Deployment {
  readonly targets: readonly FaultTarget[];
  /** The URLs of both gateways and both relays for clients. */
  readonly gateways: readonly string[];
  /** The gateways' ports for drones. */
  readonly droneUrls: readonly string[];
  readonly relays: readonly string[];
  /** The status API of each hub. */
  readonly tunnels: readonly string[];
  /** The holders of the drones' links and of the hub's Lease. */
  readonly leaseHolders: LeaseHolders;
  /** The test's own connection, which no fault affects. */
  readonly db: Db;
  readonly redisUrl: string;
  readonly storeUrl: string;
  readonly mail: Awaited<ReturnType<typeof freshMail>>;
}

/** A free port outside the ephemeral range, which stays free while its owner is down. */
async function ownPort(): Promise<number> {
  for (let tries = 0; ; tries++) {
    const port = 20_000 + randomInt(12_000);
    const free = await assertPortIsFree(port, "a process").then(
      () => true,
      (error: unknown) => {
        if (tries > 20) throw error;
        return false;
      },
    );
    if (free) return port;
  }
}

/** A service that others call, and the paths that lead to it. */
class Backend {
  readonly paths: NetworkPath[] = [];

  constructor(
    readonly url: string,
    private readonly network: Network,
  ) {}

  path(): NetworkPath {
    const path = this.network.path(this.url);
    this.paths.push(path);
    return path;
  }
}

/** Writes a hub's kubeconfig. */
function kubeConfigFile(folder: string, server: string): string {
  const file = join(folder, "kubeconfig");
  const name = "fake";
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/**
 * Two gateways, two relays, two workers, two hubs that change nothing on this machine and share a lease, a jumphost,
 * and their Postgres, Redis and object store, each a process of its own on loopback, in the strict profile.
 * Each replica has its own path to each service that it calls.
 */
export async function startDeployment(): Promise<Deployment> {
  const network = Network.own();
  const programs = compiledPrograms();
  const logs = freshFolder("logs");
  const targets: FaultTarget[] = [];
  const program = (name: string, path: string, readyText: string, env: Record<string, string>) =>
    startProgram(path, { readyText, logFile: join(logs, `${name}.log`), env });
  const add = async (name: string, start: () => Promise<ServerProcess>, paths: readonly NetworkPath[]) =>
    void targets.push(await FaultTarget.start(name, start, paths, network));

  const [postgresPort, redisPort, storePort, jumphostPort] = await Promise.all([
    ownPort(),
    ownPort(),
    ownPort(),
    ownPort(),
  ]);
  const postgres = new Backend(`postgres://fleet@127.0.0.1:${postgresPort}/fleet`, network);
  const redis = new Backend(`redis://127.0.0.1:${redisPort}`, network);
  const store = new Backend(`http://127.0.0.1:${storePort}`, network);
  const jumphost = new Backend(`ws://127.0.0.1:${jumphostPort}`, network);
  const mail = await freshMail();

  const postgresFolder = freshFolder("postgres");
  const redisFolder = freshFolder("redis");
  const storeFolder = freshFolder("store");
  await add(
    "Postgres",
    () => startPostgres({ folder: postgresFolder, port: postgresPort, database: "fleet", durable: true }),
    postgres.paths,
  );
  await add("Redis", () => startRedis({ folder: redisFolder, port: redisPort, durable: true }), redis.paths);
  await add(
    "store",
    () =>
      program("store", testProgram(programs, "store-program"), "the store is ready", {
        STORE_FOLDER: storeFolder,
        STORE_PORT: String(storePort),
      }),
    store.paths,
  );
  const fences = redis.path();
  jumphost.paths.push(fences);
  await add(
    "jumphost",
    () =>
      program("jumphost", testProgram(programs, "jumphost-program"), "the jumphost is ready", {
        JUMPHOST_PORT: String(jumphostPort),
        TUNNEL_API_SECRET: TUNNEL_SECRET,
        REDIS_URL: fences.url,
      }),
    jumphost.paths,
  );
  const db = openDatabase(postgres.url, { poolMax: 2, name: "fleet-test" });
  atEndOfFile(() => db.destroy());
  await db.migrate.latest({ migrationSource });
  await migrateJobs(postgres.url);

  const common = {
    JWT_SECRET: TEST_JWT_SECRET,
    LOG_LEVEL: "info",
    ACCESS_PROFILE: "strict",
    DEPLOYMENT: "production",
    SHUTDOWN_DRAIN_SECONDS: "2",
    // One user does in minutes what is meant for days.
    ...Object.fromEntries(quotaNames.map((name) => [`QUOTA_${name.toUpperCase()}`, "0"])),
  };
  const storeKeys = { S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" };
  const gateways: string[] = [];
  const droneUrls: string[] = [];
  const peers: string[] = [];
  const relays: string[] = [];
  for (const number of [1, 2]) {
    const [port, dronePort, peerPort, relayPort] = await Promise.all([
      ownPort(),
      ownPort(),
      ownPort(),
      ownPort(),
    ]);
    const gatewayPaths = [postgres, redis, store, jumphost].map((to) => to.path());
    const [pg, rd, s3, jump] = gatewayPaths as [NetworkPath, NetworkPath, NetworkPath, NetworkPath];
    const peer = network.path(`http://127.0.0.1:${peerPort}`);
    await add(
      `gateway ${number}`,
      () =>
        program(`gateway-${number}`, entrypoint(programs, "gateway"), "The gateway is ready", {
          ...common,
          ...storeKeys,
          DATABASE_URL: pg.url,
          REDIS_URL: rd.url,
          S3_ENDPOINT: s3.url,
          // Drones upload on a path that no fault affects.
          S3_DRONE_ENDPOINT: store.url,
          S3_PUBLIC_ENDPOINT: store.url,
          JUMPHOST_URL: jump.url,
          SMTP_URL: mail.url,
          GATEWAY_PORT: String(port),
          GATEWAY_DRONE_PORT: String(dronePort),
          EDGE_SECRET,
          TUNNEL_API_SECRET: TUNNEL_SECRET,
          SIMULATOR_HOSTS: "127.0.0.1,127.0.0.50,127.0.0.51,127.0.0.52",
          GATEWAY_PEER_PORT: String(peerPort),
          GATEWAY_PEER_HOST: new URL(peer.url).hostname,
          GATEWAY_PEER_SECRET: "a secret between replicas",
          LINK_LEASES: "redis",
          WORKER_IN_PROCESS: "false",
          STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
          ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY,
        }),
      [...gatewayPaths, peer],
    );
    gateways.push(`http://127.0.0.1:${port}`);
    droneUrls.push(`http://127.0.0.1:${dronePort}`);
    peers.push(new URL(peer.url).href);
    const relayPaths = [postgres.path(), redis.path()] as const;
    await add(
      `relay ${number}`,
      () =>
        program(`relay-${number}`, entrypoint(programs, "relay"), "The relay is ready", {
          ...common,
          DATABASE_URL: relayPaths[0].url,
          REDIS_URL: relayPaths[1].url,
          RELAY_PORT: String(relayPort),
        }),
      relayPaths,
    );
    relays.push(`ws://127.0.0.1:${relayPort}`);
    const workerPaths = [postgres.path(), store.path(), redis.path()] as const;
    await add(
      `worker ${number}`,
      () =>
        program(`worker-${number}`, entrypoint(programs, "worker"), "The worker is ready", {
          ...common,
          ...storeKeys,
          DATABASE_URL: workerPaths[0].url,
          S3_ENDPOINT: workerPaths[1].url,
          REDIS_URL: workerPaths[2].url,
          S3_PUBLIC_ENDPOINT: store.url,
          SMTP_URL: mail.url,
          WORKER_PORT: "0",
          ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY,
        }),
      workerPaths,
    );
  }
  const tunnels: string[] = [];
  const hubKeys = [generateKeyPair(), generateKeyPair()] as const;
  const hubLeases = await FakeLeases.listening();
  const api = new Backend(hubLeases.url, network);
  for (const number of [1, 2]) {
    const port = await ownPort();
    const paths = [postgres, store, api].map((to) => to.path());
    const [pg, s3, kubernetes] = paths as [NetworkPath, NetworkPath, NetworkPath];
    const folder = freshFolder("hub");
    await add(
      `tunnel ${number}`,
      () =>
        program(`tunnel-${number}`, entrypoint(programs, "tunnel"), "The tunnel service listens", {
          ...common,
          ...storeKeys,
          DATABASE_URL: pg.url,
          S3_ENDPOINT: s3.url,
          USERS_PRIVATE_KEY: hubKeys[0].privateKey,
          DRONES_PRIVATE_KEY: hubKeys[1].privateKey,
          VPN_ENDPOINT_HOST: "192.0.2.1",
          TUNNEL_DATAPLANE: "dry-run",
          TUNNEL_PORT: String(port),
          TUNNEL_API_SECRET: TUNNEL_SECRET,
          JUMPHOST_PORT: "0",
          KUBECONFIG: kubeConfigFile(folder, kubernetes.url),
          HUB_LEASE: "kubernetes",
          HUB_LEASE_IDENTITY: `tunnel-${number}`,
          HUB_LEASE_DURATION_SECONDS: "5",
          HUB_LEASE_PATH: join(folder, "lease.json"),
          // A dry run makes no interfaces for a guard to remove.
          HUB_GUARD_EXTERNAL: "true",
        }),
      paths,
    );
    tunnels.push(`http://127.0.0.1:${port}`);
  }
  const leaseHolders = new LeaseHolders(redis.url, peers, hubLeases);
  return {
    ...{ targets, gateways, droneUrls, relays, tunnels, leaseHolders, db, mail },
    ...{ redisUrl: redis.url, storeUrl: store.url },
  };
}
