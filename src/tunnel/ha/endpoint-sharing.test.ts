import type { PublicKey } from "../../domain/wireguard";
import { createLogger } from "../../platform/process/log";
import { createMetrics, type Registry } from "../../platform/process/metrics";
import { openRedis, type Redis, redisReady } from "../../platform/redis/client";
import { atEndOfFile, freshRedis } from "../../testing";
import { until } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { generateKeyPair } from "../wireguard/keys";
import { ENDPOINTS_HASH, EndpointSharing } from "./endpoint-sharing";
import { Endpoints } from "./endpoints";
import { monotonicMs } from "./lease";
import { hubMetrics } from "./metrics";

let redis: Redis;
let link: InterruptibleLink;

beforeAll(async () => {
  const server = await freshRedis();
  redis = openRedis(server.url, createLogger("test", "silent"));
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  link = await interruptibleLink(server.url);
});
beforeEach(() => redis.del(ENDPOINTS_HASH));

interface Hub {
  readonly endpoints: Endpoints;
  readonly share: EndpointSharing;
  readonly logged: string[];
  readonly registry: Registry;
  isActive: boolean;
  /** How often it read the peers' endpoints before publishing. */
  looks: number;
}

const noStore = { get: async () => undefined, put: async () => {} };

async function newHub(): Promise<Hub> {
  const logged: string[] = [];
  const log = createLogger("test", "trace", { write: (line) => void logged.push(line) });
  const registry = createMetrics("test");
  const endpoints = new Endpoints(noStore, log, () => false);
  const own = openRedis(link.url, createLogger("test", "silent"));
  await redisReady(own);
  const metrics = hubMetrics(registry, { remainingSeconds: () => 0, transitions: () => 0 }, monotonicMs);
  const share = new EndpointSharing({
    redis: own,
    endpoints,
    isActive: () => hub.isActive,
    refresh: async () => void hub.looks++,
    log,
    metrics,
  });
  atEndOfFile(async () => share.stop());
  const hub: Hub = { endpoints, share, logged, registry, isActive: true, looks: 0 };
  return hub;
}

const newKey = (): PublicKey => generateKeyPair().publicKey;
const peer = (publicKey: PublicKey, endpoint: string | undefined, latestHandshake: number) => ({
  publicKey,
  endpoint,
  latestHandshake,
  allowedIps: [],
  receivedBytes: 0,
  sentBytes: 0,
});
const metric = async ({ registry }: Hub, name: string) =>
  Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "m").exec(await registry.metrics())?.[1]);

test("a hub that takes over loads the endpoints that the previous hub published, the latest first", async () => {
  const [one, two] = [await newHub(), await newHub()];
  const [early, late, silent] = [newKey(), newKey(), newKey()];
  one.endpoints.record([
    peer(early, "192.0.2.7:1000", 100),
    peer(late, "[2001:db8::7]:2000", 200),
    peer(silent, undefined, 0),
  ]);
  await one.share.publish();
  expect(one.looks).toBe(1);
  expect(await redis.hgetall(ENDPOINTS_HASH)).toEqual({
    [early]: "192.0.2.7:1000 100",
    [late]: "[2001:db8::7]:2000 200",
  });
  await two.share.load();
  expect(two.endpoints.of(early)).toBe("192.0.2.7:1000");
  expect(two.endpoints.of(silent)).toBeUndefined();
  expect(two.endpoints.latestFirst([early, late])).toEqual([late, early]);
  expect(await metric(two, "fleet_hub_endpoints_loaded")).toBe(2);
});

test("a hub publishes only changed and removed endpoints; the hub that takes over publishes all of them again", async () => {
  const [one, two] = [await newHub(), await newHub()];
  const [stays, moves, goes] = [newKey(), newKey(), newKey()];
  one.endpoints.record([stays, moves, goes].map((key) => peer(key, "192.0.2.7:1000", 100)));
  await one.share.publish();
  await redis.hdel(ENDPOINTS_HASH, stays);
  one.endpoints.record([peer(moves, "192.0.2.8:1000", 100), peer(stays, "192.0.2.7:1000", 100)]);
  one.endpoints.forget(goes);
  await one.share.publish();
  expect(await redis.hgetall(ENDPOINTS_HASH)).toEqual({ [moves]: "192.0.2.8:1000 100" });
  expect(await metric(one, "fleet_hub_endpoints_shared_total")).toBe(4);
  await two.share.load();
  await redis.del(ENDPOINTS_HASH);
  await two.share.publish();
  expect(await redis.hgetall(ENDPOINTS_HASH)).toEqual({ [moves]: "192.0.2.8:1000 100" });
});

test("a later endpoint of another hub replaces this hub's own", async () => {
  const [one, two] = [await newHub(), await newHub()];
  const key = newKey();
  one.endpoints.record([peer(key, "192.0.2.7:1000", 100)]);
  two.endpoints.record([peer(key, "192.0.2.8:2000", 200)]);
  await two.share.publish();
  await one.share.load();
  expect(one.endpoints.of(key)).toBe("192.0.2.8:2000");
});

test("a standby neither reads nor publishes endpoints", async () => {
  const hub = await newHub();
  hub.isActive = false;
  hub.endpoints.record([peer(newKey(), "192.0.2.7:1000", 100)]);
  await hub.share.publish();
  expect(hub.looks).toBe(0);
  expect(await redis.exists(ENDPOINTS_HASH)).toBe(0);
});

test("entries that are not a peer's endpoint are ignored", async () => {
  const hub = await newHub();
  const key = newKey();
  await redis.hset(ENDPOINTS_HASH, {
    [key]: "192.0.2.7:1000 100",
    [newKey()]: "192.0.2.7:1000; rm 100",
    [newKey()]: "192.0.2.7:1000 never",
    [newKey()]: "",
    "no key": "192.0.2.7:1000 100",
  });
  await hub.share.load();
  expect(hub.endpoints.count).toBe(1);
  expect(hub.endpoints.of(key)).toBe("192.0.2.7:1000");
});

test("while Redis is away each failure is counted and the first is logged; afterwards all endpoints are published", async () => {
  const hub = await newHub();
  const keys = Array.from({ length: 1_200 }, newKey);
  hub.endpoints.record(keys.map((key) => peer(key, "192.0.2.7:1000", 100)));
  await hub.share.publish();
  await redis.del(ENDPOINTS_HASH);
  link.cut();
  try {
    hub.endpoints.record([peer(keys[0] as PublicKey, "192.0.2.8:1000", 300)]);
    await hub.share.publish();
    await hub.share.publish();
    await expect(hub.share.load()).rejects.toThrow();
  } finally {
    link.mend();
  }
  expect(await metric(hub, "fleet_hub_share_failures_total")).toBe(2);
  expect(hub.logged.filter((line) => line.includes("Cannot share the peers"))).toHaveLength(1);
  await until(async () => {
    await hub.share.publish();
    return (await redis.hlen(ENDPOINTS_HASH)) === keys.length;
  });
  expect(await redis.hget(ENDPOINTS_HASH, keys[0] as string)).toBe("192.0.2.8:1000 300");
  expect(hub.logged.join("")).toContain("Sharing the peers' endpoints works again");
});

test("a Redis that restarts without its data gets all endpoints again, although nothing failed or changed", async () => {
  const hub = await newHub();
  hub.endpoints.record([peer(newKey(), "192.0.2.7:1000", 100)]);
  await hub.share.publish();
  link.cut();
  await redis.del(ENDPOINTS_HASH);
  link.mend();
  await until(async () => {
    await hub.share.publish();
    return (await redis.hlen(ENDPOINTS_HASH)) === 1;
  });
  expect(await metric(hub, "fleet_hub_share_failures_total")).toBe(0);
});

test("endpoints are published periodically until the sharing is stopped", async () => {
  const hub = await newHub();
  hub.share.start();
  await until(() => hub.looks >= 2);
  hub.share.stop();
  const { looks } = hub;
  const from = performance.now();
  await until(() => performance.now() - from > 1_500);
  expect(hub.looks).toBeLessThanOrEqual(looks + 1);
});
