import { CapturedLog } from "../../testing/captured-log";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { type TunnelWorld, tunnelWorld } from "../../testing/worlds/start-tunnel";
import { INDEX_KEY } from "../client-configs/store";
import type { Tunnel } from "../index";
import { SimulatedOs } from "../os/simulated-os";

let world: TunnelWorld;
let owner: number;
let log: CapturedLog;
let os: SimulatedOs;
let tunnel: Tunnel;

beforeAll(async () => {
  world = await tunnelWorld();
  // The schema lets none of it in: as after a restore, or by hand.
  await world.db.raw(`
    ALTER TABLE drones DROP CONSTRAINT drones_port_check;
    DROP INDEX drones_live_ip`);
  owner = (await world.fleet.user("10.70.0.2")).id;
  ({ log, os, tunnel } = await start());
  await until(() => has("users0", "10.70.0.2"));
});

async function start(env: Record<string, string> = {}) {
  const [log, os] = [new CapturedLog(), new SimulatedOs()];
  const machine = { os, dataplane: "auto" as const };
  const tunnel = await world.start(machine, { LOG_LEVEL: "info", DB_REFRESH_SECONDS: "3600", ...env }, log);
  return { log, os, tunnel };
}

const has = (name: string, ip: string, on = os) =>
  [...(on.links.get(name)?.peers.values() ?? [])].some((ips) => ips.includes(`${ip}/32`));
const pairs = () => [...(os.sets.get("fleet-pairs") ?? [])];

/** The rest goes on: somebody new is let in, and let out again. */
async function othersAreServed(ip: string): Promise<void> {
  const { id } = await world.fleet.drone(ip, owner);
  await until(() => has("drones0", ip) && pairs().includes(`10.70.0.2,tcp:5001,${ip}`));
  await world.fleet.deleteDrone(id);
  await until(() => !has("drones0", ip));
}

const faults = "fleet_tunnel_faulty_rows";
const faultyRow = "A row of the database is faulty and is left out";
const set = (id: number, values: object) => world.db("drones").where({ id }).update(values);

test.each([
  ["a user's address", "10.70.0.9"],
  ["a simulated drone's address", "10.71.250.1"],
  ["the hub's address", "10.71.0.1"],
])("a drone with %s is named in the log and the metrics, and the rest goes on", async (_, value) => {
  const fault = "address_outside_plane";
  await world.db("vpn_addresses").insert({ ip: value, range: "drones" }).onConflict("ip").ignore();
  const { id } = await world.fleet.drone("10.71.1.1", owner);
  await until(() => has("drones0", "10.71.1.1"));
  const before = await scrape(tunnel.url);
  await set(id, { ip: value });
  await until(() => log.entries(faultyRow).some((entry) => entry.id === id));
  expect(log.entries(faultyRow).at(-1)).toMatchObject({ level: 50, plane: "drones", id, fault, value });
  const after = await scrape(tunnel.url);
  expect(after.value(faults, { plane: "drones", fault })).toBe(1);
  expect(after.value(faults)).toBe(1);
  const failures = (metrics: typeof after) => metrics.value("fleet_tunnel_failures_total", { stage: "rows" });
  expect(failures(after)).toBe(failures(before) + 1);
  await until(() => !has("drones0", "10.71.1.1"));
  await othersAreServed("10.71.1.2");
  // Mended, it is served and named no longer.
  await set(id, { ip: "10.71.1.1" });
  await until(() => has("drones0", "10.71.1.1"));
  expect((await scrape(tunnel.url)).value(faults)).toBe(0);
  await world.fleet.deleteDrone(id);
  // The next case has its address.
  await until(() => !has("drones0", "10.71.1.1"));
});

test("of two rows with one address the younger is named, and its owner does not get the older one's drone", async () => {
  const otherUser = await world.fleet.user("10.70.0.3");
  const { id: older } = await world.fleet.drone("10.71.2.1", owner);
  const { id: younger } = await world.fleet.drone("10.71.2.1", otherUser.id);
  await until(() => log.entries(faultyRow).some((entry) => entry.id === younger));
  const named = { level: 50, plane: "drones", id: younger, fault: "duplicate_address", value: "10.71.2.1" };
  expect(log.entries(faultyRow).at(-1)).toMatchObject(named);
  const fault = { plane: "drones", fault: "duplicate_address" };
  expect((await scrape(tunnel.url)).value(faults, fault)).toBe(1);
  await othersAreServed("10.71.2.2");
  expect(
    pairs()
      .filter((pair) => pair.includes("10.71.2.1"))
      .map((pair) => pair.slice(0, 9)),
  ).toEqual(Array(5).fill("10.70.0.2"));
  await world.fleet.deleteDrone(older);
  await until(() => pairs().includes("10.70.0.3,tcp:5001,10.71.2.1"));
  expect((await scrape(tunnel.url)).value(faults)).toBe(0);
});

test.each([0, 65_536, -1])("a drone.port of %i is named; that port alone stays shut", async (port) => {
  const { id } = await world.fleet.drone("10.71.3.1", owner, port);
  await until(() => log.entries(faultyRow).some((entry) => entry.id === id));
  const named = { level: 50, plane: "drones", id, fault: "port_out_of_range", value: String(port) };
  expect(log.entries(faultyRow).at(-1)).toMatchObject(named);
  const fault = { plane: "drones", fault: "port_out_of_range" };
  expect((await scrape(tunnel.url)).value(faults, fault)).toBe(1);
  await until(() => has("drones0", "10.71.3.1") && pairs().includes("10.70.0.2,tcp:22,10.71.3.1"));
  expect(pairs().filter((pair) => pair.includes("10.71.3.1"))).toHaveLength(4);
  await othersAreServed("10.71.3.2");
  await set(id, { port: 6001 });
  await until(() => pairs().includes("10.70.0.2,tcp:6001,10.71.3.1"));
  expect((await scrape(tunnel.url)).value(faults)).toBe(0);
  await world.fleet.deleteDrone(id);
  await until(() => !pairs().some((pair) => pair.includes("10.71.3.1")));
});

describe("a config that is truncated in the store", () => {
  const damaged = "A client config was damaged";
  const damages = "fleet_tunnel_damaged_configs_total";
  const running: Tunnel[] = [];
  const stopAll = () =>
    Promise.all(running.splice(0).map(({ lifecycle }) => lifecycle.stop("another daemon follows")));
  // One daemon at a time writes to the store.
  beforeAll(() => tunnel.lifecycle.stop("another daemon follows"));
  afterEach(stopAll);

  async function startAlone(env = {}) {
    await stopAll();
    const started = await start(env);
    running.push(started.tunnel);
    return started;
  }

  /** A daemon that finds the config cut off before a word; the one that had published it has ended. */
  async function cutOff(ip: string, word: string, forget: readonly string[] = []) {
    const first = await startAlone();
    const { id } = await world.fleet.drone(ip, owner);
    await until(() => has("drones0", ip, first.os));
    await stopAll();
    const object = `vpn/drones/${id}.conf`;
    const whole = (await world.configs.get(object)) as string;
    await world.configs.put(object, whole.slice(0, whole.indexOf(word)));
    for (const key of forget) await world.configs.delete(key);
    const next = await startAlone({ DB_REFRESH_SECONDS: "1" });
    await until(() => has("drones0", ip, next.os));
    const keyOf = (on: SimulatedOs) =>
      [...(on.links.get("drones0")?.peers ?? [])].find(([, ips]) => ips.includes(`${ip}/32`))?.[0];
    return { ...next, id, object, whole, keys: [keyOf(first.os), keyOf(next.os)] };
  }

  /** Its own daemon serves the others. */
  async function servesOthers(on: SimulatedOs, ip: string): Promise<void> {
    const { id } = await world.fleet.drone(ip, owner);
    await until(() => has("drones0", ip, on));
    await world.fleet.deleteDrone(id);
  }

  test("behind its key is made whole, and named", async () => {
    const { tunnel, log, os, object, whole, keys } = await cutOff("10.71.4.1", "DNS");
    await until(() => log.entries(damaged).length > 0);
    expect(log.entries(damaged)).toEqual([
      expect.objectContaining({ level: 50, object, damage: "repaired" }),
    ]);
    expect((await scrape(tunnel.url)).value(damages, { outcome: "repaired" })).toBe(1);
    expect(await world.configs.get(object)).toBe(whole);
    expect(keys[1]).toBe(keys[0]);
    await servesOthers(os, "10.71.4.2");
  });

  test("before its key is named as lost; its peer stays", async () => {
    const { tunnel, log, os, object, keys } = await cutOff("10.71.4.3", "PrivateKey");
    const lost = "A client config's private key is lost; the peer stays: rotate its key";
    await until(() => log.entries(lost).length > 0);
    expect(log.entries(lost)).toEqual([expect.objectContaining({ level: 50, object })]);
    await until(async () => (await scrape(tunnel.url)).value("fleet_tunnel_lost_configs") === 1);
    expect(keys[1]).toBe(keys[0]);
    await servesOthers(os, "10.71.4.4");
    expect(keys[0]).toBe(
      [...(os.links.get("drones0")?.peers ?? [])].find(([, [ip]]) => ip === "10.71.4.3/32")?.[0],
    );
    await world.configs.delete(object);
  });

  test("before its key is put aside; its peer has a new key, the others theirs", async () => {
    const before = new Map(os.links.get("users0")?.peers);
    const { tunnel, log, os: next, object, keys } = await cutOff("10.71.4.5", "PrivateKey", [INDEX_KEY]);
    expect(log.entries(damaged)).toContainEqual(
      expect.objectContaining({ level: 50, object, damage: "put-aside" }),
    );
    expect((await scrape(tunnel.url)).value(damages, { outcome: "put-aside" })).toBeGreaterThan(0);
    expect(keys[1]).not.toBe(keys[0]);
    await until(() => has("users0", "10.70.0.2", next));
    expect(new Map(next.links.get("users0")?.peers)).toEqual(before);
    await servesOthers(next, "10.71.4.6");
  });
});

test.each([
  ["users", "USERS_PRIVATE_KEY", "drones"],
  ["drones", "DRONES_PRIVATE_KEY", "users"],
])(
  "a hub key of the %s plane of the wrong length is named, without its value; the other plane goes on",
  async (plane, name, other) => {
    const value = Buffer.alloc(31, 7).toString("base64");
    const { tunnel, log, os } = await start({ [name]: value });
    await until(() => (os.links.get(`${other}0`)?.peers.size ?? 0) > 0);
    await until(
      async () => (await scrape(tunnel.url)).value("fleet_tunnel_failures_total", { stage: "interface" }) > 0,
    );
    const named = `${name} is not a WireGuard key: 32 bytes in base64 are needed, it has 31.`;
    const failures = log.entries("A stage of the reconciliation failed");
    expect(failures).toContainEqual(
      expect.objectContaining({
        level: 50,
        stage: "interface",
        plane,
        err: expect.objectContaining({ message: named }),
      }),
    );
    expect(os.links.has(`${plane}0`)).toBe(false);
    expect(log.text).not.toContain(value);
    expect((await fetch(`${tunnel.url}/readyz`)).status).toBe(503);
    const kind = other.slice(0, -1);
    await until(async () => {
      const ip =
        other === "users"
          ? "10.70.0.2"
          : [...(os.links.get("drones0")?.peers.values() ?? [])][0]?.[0]?.slice(0, -3);
      return (await fetch(`${tunnel.url}/status/${kind}/${ip}`)).status === 200;
    });
    await tunnel.lifecycle.stop("another daemon follows");
  },
);
