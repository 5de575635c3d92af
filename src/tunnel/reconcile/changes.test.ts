import { CapturedLog } from "../../testing/captured-log";
import { type Metrics, scrape } from "../../testing/scrape";
import { until as untilWithin } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { type TunnelWorld, tunnelWorld } from "../../testing/worlds/start-tunnel";
import type { Tunnel } from "../index";
import { SimulatedOs } from "../os/simulated-os";

const os = new SimulatedOs();
const log = new CapturedLog();

/** Each wait takes milliseconds, on a busy machine seconds. */
jest.setTimeout(90_000);
const until = <T>(attempt: () => Promise<T> | T) => untilWithin(attempt);

let world: TunnelWorld;
let tunnel: Tunnel;
let store: InterruptibleLink;
let owner: number;

beforeAll(async () => {
  world = await tunnelWorld();
  store = await interruptibleLink(world.objects.url);
  const env = { LOG_LEVEL: "info", DB_REFRESH_SECONDS: "3600", S3_ENDPOINT: store.url };
  tunnel = await world.start({ os, dataplane: "auto" }, env, log);
  owner = (await world.fleet.user("10.70.0.2")).id;
  await until(() => keyOf("users0", "10.70.0.2") !== undefined);
  await world.fleet.drone("10.71.0.2", owner);
  await until(() => keyOf("drones0", "10.71.0.2") !== undefined);
  await tunnel.reconciler.idle();
});

const keyOf = (name: string, ip: string) =>
  [...(os.links.get(name)?.peers ?? [])].find(([, ips]) => ips.includes(`${ip}/32`))?.[0];
const tick = async () => {
  tunnel.reconciler.enqueue("tick");
  await tunnel.reconciler.idle();
};
const logged = (message: string, publicKey: string | undefined) =>
  log.entries(message).filter(({ public_key }) => public_key === publicKey);
const kinds = (metrics: Metrics, before: Metrics) =>
  Object.fromEntries(
    ["peer-created", "peer-corrected", "peer-removed", "pair-opened", "pair-closed", "interface"]
      .map((kind) => {
        const count = (at: Metrics) => at.value("fleet_tunnel_changes_total", { kind });
        return [kind, count(metrics) - count(before)] as const;
      })
      .filter(([, count]) => count > 0),
  );

describe("the reason of a peer's change is logged, and the change is counted:", () => {
  let before: Metrics;
  beforeEach(async () => {
    before = await scrape(tunnel.url);
  });
  const counted = async () => kinds(await scrape(tunnel.url), before);

  test("created, with a row of its own", async () => {
    const { id } = await world.fleet.drone("10.71.0.3", owner);
    const key = await until(() => keyOf("drones0", "10.71.0.3") ?? false);
    await tunnel.reconciler.idle();
    const change = { level: 30, plane: "drones", ip: "10.71.0.3", row: id, why: "created" };
    expect(logged("Set a peer", key)).toEqual([expect.objectContaining(change)]);
    expect(await counted()).toEqual({ "peer-created": 1, "pair-opened": 5 });
  });

  test("corrected, when another program gave it another address", async () => {
    const key = keyOf("drones0", "10.71.0.3") as string;
    os.links.get("drones0")?.peers.set(key, ["10.71.0.99/32"]);
    await tick();
    expect(keyOf("drones0", "10.71.0.3")).toBe(key);
    const change = { plane: "drones", ip: "10.71.0.3", why: "corrected" };
    expect(logged("Set a peer", key).at(-1)).toMatchObject(change);
    expect(await counted()).toMatchObject({ "peer-corrected": 1 });
  });

  test("replaced, when its row got another key", async () => {
    const key = keyOf("drones0", "10.71.0.3") as string;
    const [{ vpn_key_id }] = await world.db("drones").where({ ip: "10.71.0.3" }).select("vpn_key_id");
    const set = { vpn_key_id: world.db.raw("gen_random_uuid()") };
    await world.db("drones").where({ ip: "10.71.0.3" }).update(set);
    const next = await until(() => {
      const now = keyOf("drones0", "10.71.0.3");
      return now !== undefined && now !== key && now;
    });
    await tunnel.reconciler.idle();
    const change = {
      plane: "drones",
      ip: "10.71.0.3",
      peer: `drones/${vpn_key_id}/10.71.0.3`,
      why: "replaced",
    };
    expect(logged("Removed a peer", key)).toEqual([expect.objectContaining(change)]);
    expect(logged("Set a peer", next)).toEqual([expect.objectContaining({ why: "created" })]);
    expect(await counted()).toMatchObject({ "peer-removed": 1, "peer-created": 1 });
  });

  test("vanished, when its row went", async () => {
    const key = keyOf("drones0", "10.71.0.3");
    await world.db("drones").where({ ip: "10.71.0.3" }).delete();
    await until(() => keyOf("drones0", "10.71.0.3") === undefined);
    await tunnel.reconciler.idle();
    const change = { level: 30, plane: "drones", ip: "10.71.0.3", why: "vanished" };
    expect(logged("Removed a peer", key)).toEqual([expect.objectContaining(change)]);
    expect(await counted()).toEqual({ "peer-removed": 1, "pair-closed": 5 });
  });

  test("a peer that another program added is removed, because no row has it", async () => {
    const key = "A".repeat(43).concat("=");
    os.links.get("users0")?.peers.set(key, ["10.70.9.9/32"]);
    await tick();
    expect(keyOf("users0", "10.70.9.9")).toBeUndefined();
    expect(logged("Removed a peer", key)).toEqual([
      expect.objectContaining({ plane: "users", ip: "10.70.9.9", why: "vanished" }),
    ]);
    expect(await counted()).toEqual({ "peer-removed": 1 });
  });
});

test("the peers of each plane are counted, and a reconciliation's time and last success measured", async () => {
  const before = await scrape(tunnel.url);
  const runs = (metrics: Metrics) => metrics.value("fleet_tunnel_reconcile_duration_seconds_count");
  const startedAt = Date.now() / 1000;
  await tick();
  const metrics = await scrape(tunnel.url);
  expect(metrics.value("fleet_tunnel_peers", { plane: "users" })).toBe(1);
  expect(metrics.value("fleet_tunnel_peers", { plane: "drones" })).toBe(1);
  expect(runs(metrics)).toBeGreaterThan(runs(before));
  expect(metrics.value("fleet_tunnel_reconcile_duration_seconds_sum")).toBeGreaterThan(0);
  const last = metrics.value("fleet_tunnel_last_success_timestamp_seconds");
  expect(last).toBeGreaterThanOrEqual(startedAt);
  expect(last).toBeLessThanOrEqual(Date.now() / 1000);
});

const failing = (pattern: RegExp) => () => {
  os.fault = (command) => {
    if (pattern.test(command)) throw new Error("a fault of the test's");
  };
};
const works = () => {
  os.fault = () => {};
};
const stages: { stage: string; cause: () => unknown; mend?: () => unknown }[] = [
  {
    stage: "database",
    cause: () => world.db.raw("ALTER TABLE users RENAME TO others"),
    mend: () => world.db.raw("ALTER TABLE others RENAME TO users"),
  },
  { stage: "firewall-rules", cause: failing(/^iptables-nft-save/) },
  { stage: "firewall-pairs", cause: failing(/^ipset (list|save)/) },
  {
    stage: "conntrack",
    cause: async () => {
      failing(/^conntrack -L/)();
      // Only a pair that closes has known connections looked at.
      const { id } = await world.fleet.drone("10.71.0.4", owner);
      await until(() => keyOf("drones0", "10.71.0.4") !== undefined);
      await tunnel.reconciler.idle();
      await world.fleet.deleteDrone(id);
      await until(() => keyOf("drones0", "10.71.0.4") === undefined);
    },
  },
  {
    stage: "interface",
    cause: () => {
      failing(/^ip link add/)();
      os.links.delete("users0");
    },
  },
  {
    stage: "peers",
    cause: () => {
      failing(/^wg set users0/)();
      os.links.get("users0")?.peers.clear();
    },
  },
];

test.each(stages)(
  "a failure of the $stage is counted by its stage, named in the log, and mended by itself",
  async ({ stage, cause, mend = works }) => {
    await tick();
    const failures = async () => (await scrape(tunnel.url)).value("fleet_tunnel_failures_total", { stage });
    const success = async () =>
      (await scrape(tunnel.url)).value("fleet_tunnel_last_success_timestamp_seconds");
    const before = await failures();
    const about = (message: string) => log.entries(message).filter((entry) => entry.stage === stage).length;
    const [named, mended] = [
      about("A stage of the reconciliation failed"),
      about("A stage of the reconciliation works again"),
    ];
    await cause();
    const last = await success();
    tunnel.reconciler.enqueue("tick");
    await until(async () => (await failures()) > before);
    expect(about("A stage of the reconciliation failed")).toBeGreaterThan(named);
    expect(await success()).toBe(last);
    const other = await world.fleet.drone("10.71.0.6", owner);
    // Without the database nobody new is known; else the others are served.
    if (stage !== "database") await until(() => keyOf("drones0", "10.71.0.6") !== undefined);
    await tunnel.reconciler.idle();
    // A change of the other interface is no success of both.
    if (stage === "interface" || stage === "peers") expect(await success()).toBe(last);
    await mend();
    await until(() => about("A stage of the reconciliation works again") > mended);
    await until(async () => (await success()) > last);
    await until(() => keyOf("users0", "10.70.0.2") !== undefined);
    await until(() => keyOf("drones0", "10.71.0.6") !== undefined);
    await world.fleet.deleteDrone(other.id);
    await until(() => keyOf("drones0", "10.71.0.6") === undefined);
  },
);

test("statistics that cannot be read are counted", async () => {
  failing(/^wg show users0 dump/)();
  await until(
    async () => (await scrape(tunnel.url)).value("fleet_tunnel_failures_total", { stage: "stats" }) > 0,
  );
  works();
  await until(async () => (await fetch(`${tunnel.url}/status/user/10.70.0.2`)).status === 200);
});

test("an object store that is away is counted; a new peer waits and is not lost", async () => {
  store.cut();
  await world.fleet.drone("10.71.0.5", owner);
  await until(
    async () => (await scrape(tunnel.url)).value("fleet_tunnel_failures_total", { stage: "configs" }) > 0,
  );
  expect(log.entries("Cannot publish client configs; retrying").at(-1)).toMatchObject({ level: 50 });
  expect(keyOf("drones0", "10.71.0.5")).toBeUndefined();
  store.mend();
  await until(() => keyOf("drones0", "10.71.0.5") !== undefined);
});
