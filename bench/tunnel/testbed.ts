import { join } from "node:path";
import { configKey } from "../../src/domain/client-config";
import type { PeerId } from "../../src/domain/peers";
import { planeNames, planes } from "../../src/domain/tunnel-planes";
import type { PublicKey } from "../../src/domain/wireguard";
import { type Db, openDatabase } from "../../src/platform/postgres/db";
import { runCleanUps } from "../../src/testing/clean-up";
import { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { Namespace } from "../../src/testing/system/namespaces/namespace";
import { until } from "../../src/testing/until";
import { type IndexEntry, printIndex } from "../../src/tunnel/client-configs/peer-index";
import { INDEX_KEY } from "../../src/tunnel/client-configs/store";
import { renderClientConfig, templateOf } from "../../src/tunnel/client-configs/text";
import { setProcessPriority } from "../../src/tunnel/os/priority";
import { generateKeyPair } from "../../src/tunnel/wireguard/keys";
import { startBenchDatabase } from "../database";
import { type Child, startChild } from "../relay/child";
import { type Peer, storeRows } from "./rows";

export const HUB_ADDRESS = "192.0.2.1";
export { INDEX_KEY };

export interface Daemon extends Child {
  /** Until both interfaces have all peers. */
  complete(): Promise<void>;
}

/** A hub in a namespace of its own, its neighbours, and a daemon when one is started. */
export interface Testbed {
  readonly db: Db;
  readonly hub: Namespace;
  readonly objects: Child;
  /** In place of all that was there: half of them users, half drones, each user with one. */
  fill(peers: number): Promise<readonly Peer[]>;
  startDaemon(): Promise<Daemon>;
  clear(): Promise<void>;
}

const hubKeys = { users: generateKeyPair(), drones: generateKeyPair() };

export async function buildTestbed(): Promise<Testbed> {
  const stops = new CleanupStack();
  const clear = () => stops.clear();
  stops.add(() => runCleanUps(globalThis));
  // These commands have the daemon's priority.
  setProcessPriority(process.pid, -5);
  try {
    const { url } = await startBenchDatabase(stops);
    const db = openDatabase(url, { poolMax: 8, name: "fleet-bench", queryTimeoutMs: 60_000 });
    stops.add(() => db.destroy());
    const objects = startChild(join(__dirname, "objects-process.js"), "0-1");
    stops.add(objects.stop);
    const hub = await Namespace.create("hub");
    await hub.shell(`ip address add ${HUB_ADDRESS}/32 dev lo`);
    const env = {
      DATABASE_URL: url,
      S3_ENDPOINT: await objects.ask<string>("url"),
      S3_ACCESS_KEY_ID: "bench",
      S3_SECRET_ACCESS_KEY: "bench",
      S3_VPN_BUCKET: "vpn",
      USERS_PRIVATE_KEY: hubKeys.users.privateKey,
      DRONES_PRIVATE_KEY: hubKeys.drones.privateKey,
      VPN_ENDPOINT_HOST: HUB_ADDRESS,
      TUNNEL_PORT: "0",
      LOG_LEVEL: process.env.BENCH_LOG_LEVEL ?? "error",
      DEPLOYMENT: "local",
      HUB_PREFIX: JSON.stringify(hub.prefix),
    };
    let filled = 0;
    return {
      db,
      hub,
      objects,
      clear,
      fill: async (count) => {
        const peers = await storeRows(db, count);
        await objects.ask("fill", configsOf(peers));
        filled = count;
        return peers;
      },
      startDaemon: async () => {
        const child = startChild(join(__dirname, "daemon-process.js"), "0-1", env);
        stops.add(child.stop);
        const complete = async () => {
          await until(async () => (await child.ask("metric", "fleet_tunnel_peers")) === filled, 170_000);
        };
        await until(() => child.ask<boolean>("ready"), 60_000);
        return { ...child, complete };
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

const hubOf = (plane: Peer["plane"]) => ({
  plane,
  publicKey: hubKeys[plane].publicKey,
  endpointHost: HUB_ADDRESS,
  dns: "172.31.0.2",
});

export const configOf = (peer: Peer): string => renderClientConfig(peer, peer.privateKey, hubOf(peer.plane));

function configsOf(peers: readonly Peer[]): [string, string][] {
  const templates = new Map(planeNames.map((plane) => [plane, templateOf(hubOf(plane))]));
  const index = new Map<PeerId, IndexEntry>();
  const configs = peers.map((peer): [string, string] => {
    const text = configOf(peer);
    const { rowId, publicKey, plane } = peer;
    const template = templates.get(plane) as string;
    index.set(peer.id, {
      rowId,
      publicKey: publicKey as PublicKey,
      bytes: Buffer.byteLength(text),
      template,
    });
    return [configKey(peer), text];
  });
  return [...configs, [INDEX_KEY, printIndex(index)]];
}

/** Take both interfaces away: the node is empty again. */
export async function emptyHub(hub: Namespace): Promise<void> {
  for (const name of planeNames) await hub.shell(`ip link delete ${planes[name].interface} || true`);
}
