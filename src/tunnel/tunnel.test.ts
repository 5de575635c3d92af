import { planes } from "../domain/tunnel-planes";
import { until } from "../testing/until";
import { type TunnelWorld, tunnelWorld } from "../testing/worlds/start-tunnel";
import type { Tunnel } from "./index";
import { SimulatedOs } from "./os/simulated-os";
import { publicKeyOf } from "./wireguard/keys";

type Body = ReturnType<typeof JSON.parse>;

let world: TunnelWorld;
let os: SimulatedOs;
let tunnel: Tunnel;

beforeAll(async () => {
  world = await tunnelWorld();
  os = new SimulatedOs();
  await world.fleet.user("10.70.0.2");
  tunnel = await world.start({ os, dataplane: "auto" });
  await until(() => tunnel.lifecycle.state === "ready" && peers("users0").size === 1);
});

const peers = (name: string) =>
  new Map([...(os.links.get(name)?.peers ?? [])].map(([key, ips]) => [ips.join(), key]));
const get = async (path: string, url = tunnel.url) => {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, body: (await response.json().catch(() => undefined)) as Body };
};

test("interfaces get the contract's address, port, MTU and key", () => {
  const shown = (name: string) => {
    const link = os.links.get(name);
    return link && { ...link, peers: link.peers.size };
  };
  expect(shown("users0")).toEqual({
    mtu: 1500,
    up: true,
    addresses: ["10.70.0.1/16"],
    publicKey: publicKeyOf(world.env.USERS_PRIVATE_KEY as never),
    port: planes.users.port,
    peers: 1,
  });
  expect(shown("drones0")).toEqual({
    mtu: 1350,
    up: true,
    addresses: ["10.71.0.1/16"],
    publicKey: publicKeyOf(world.env.DRONES_PRIVATE_KEY as never),
    port: planes.drones.port,
    peers: 0,
  });
});

test("the firewall stands before an interface exists and before the node forwards", () => {
  const at = (what: RegExp) => os.commands.findIndex((command) => what.test(command));
  const order = [
    at(/^ipset restore/),
    at(/^iptables-nft-restore/),
    at(/^tee .*ip_forward/),
    at(/^ip link add/),
  ];
  expect(order.every((index) => index >= 0)).toBe(true);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("no command shows a private key", () => {
  const text = os.commands.join("\n");
  expect(text).not.toContain(world.env.USERS_PRIVATE_KEY);
  expect(text).not.toContain(world.env.DRONES_PRIVATE_KEY);
});

test("one change changes one peer, by these commands", async () => {
  const before = os.commands.length;
  const drone = await world.fleet.drone("10.71.0.2", (await world.db("users").first()).id);
  await until(() => peers("drones0").size === 1);
  const commands = os.commands.slice(before).filter((command) => !command.includes("create fleet-pairs"));
  expect(commands).toEqual([
    `ipset restore -exist <<'END'
add fleet-pairs 10.70.0.2,tcp:5001,10.71.0.2
add fleet-pairs 10.70.0.2,tcp:8554,10.71.0.2
add fleet-pairs 10.70.0.2,udp:8554,10.71.0.2
add fleet-pairs 10.70.0.2,udp:14900,10.71.0.2
add fleet-pairs 10.70.0.2,tcp:22,10.71.0.2
END`,
    `wg set drones0 peer ${peers("drones0").get("10.71.0.2/32")} allowed-ips 10.71.0.2/32`,
  ]);
  await world.fleet.deleteDrone(drone.id);
  await until(() => peers("drones0").size === 0);
});

test("an address with a new owner between two reconciliations gets a new peer, and the old key stops working", async () => {
  const owner = (await world.db("users").first()).id;
  const first = await world.fleet.drone("10.71.0.3", owner);
  const oldKey = await until(() => peers("drones0").get("10.71.0.3/32") ?? false);
  await world.db.transaction(async (trx) => {
    await trx("drones").where({ id: first.id }).update({ deleted_at: trx.fn.now() });
    await trx("drones").insert({
      user_id: owner,
      name: "next",
      type: "physical",
      vehicle_type: "copter",
      ip: "10.71.0.3",
      port: 5001,
    });
  });
  const newKey = await until(() => {
    const key = peers("drones0").get("10.71.0.3/32");
    return key !== undefined && key !== oldKey && key;
  });
  expect([...(os.links.get("drones0")?.peers.keys() ?? [])]).toEqual([newKey]);
});

test("a rotated key id gives a new key, and the old config becomes a tombstone", async () => {
  const user = await world.fleet.user("10.70.0.9");
  const oldKey = await until(() => peers("users0").get("10.70.0.9/32") ?? false);
  const [{ vpn_key_id: oldId }] = await world.db("users").where({ id: user.id }).select("vpn_key_id");
  await world
    .db("users")
    .where({ id: user.id })
    .update({ vpn_key_id: world.db.raw("gen_random_uuid()") });
  await until(() => {
    const key = peers("users0").get("10.70.0.9/32");
    return key !== undefined && key !== oldKey;
  });
  const tombstone = await object(`tombstones/users/${oldId}/10.70.0.9.conf`);
  expect(publicKeyOf(/PrivateKey = (\S+)/.exec(tombstone)?.[1] as never)).toBe(oldKey);
  await world.db("users").where({ id: user.id }).delete();
});

test("simulated drones are never peers", async () => {
  const owner = (await world.db("users").first()).id;
  await world.db("vpn_addresses").insert({ ip: "10.71.240.5", range: "simulated" });
  await world.db("drones").insert({
    user_id: owner,
    name: "sim",
    type: "sitl",
    vehicle_type: "copter",
    ip: "10.71.240.5",
    port: 5760,
  });
  await world.fleet.drone("10.71.0.77", owner);
  await until(() => peers("drones0").has("10.71.0.77/32"));
  expect([...peers("drones0").keys()]).not.toContain("10.71.240.5/32");
});

test("the config in the store is what the contract lists, published before the peer is live", async () => {
  const { id } = await world.db("users").where({ ip: "10.70.0.2" }).first();
  const config = await object(`vpn/users/${id}.conf`);
  const privateKey = /PrivateKey = (\S+)/.exec(config)?.[1] as never;
  expect(publicKeyOf(privateKey)).toBe(peers("users0").get("10.70.0.2/32"));
  expect(config.replace(/^# .*\n/, "").replace(privateKey, "KEY")).toBe(`[Interface]
PrivateKey = KEY
Address = 10.70.0.2/32
DNS = 172.31.0.2
MTU = 1500

[Peer]
PublicKey = ${publicKeyOf(world.env.USERS_PRIVATE_KEY as never)}
AllowedIPs = 10.69.0.0/16, 10.70.0.0/16, 10.71.0.0/16, 172.31.0.0/16
Endpoint = 192.0.2.1:51823
PersistentKeepalive = 25
`);
});

test("the index holds public keys only", async () => {
  const publicKey = peers("users0").get("10.70.0.2/32") as string;
  const index = await until(async () => {
    const text = await object("vpn/index.json");
    return text?.includes(publicKey) ? text : false;
  });
  const config = await object(`vpn/users/${(await world.db("users").first()).id}.conf`);
  expect(index).not.toContain(/PrivateKey = (\S+)/.exec(config)?.[1]);
});

test("a rule that was inserted before our chains comes after them from the next tick", async () => {
  os.nft.chain("filter", "FORWARD")?.unshift("-j KUBE-FORWARD");
  os.nft.chain("mangle", "POSTROUTING")?.unshift("-j CNI-HOST");
  tunnel.reconciler.enqueue("tick");
  await until(() => os.nft.chain("filter", "FORWARD")?.[0] === "-j FLEET-FORWARD");
  expect(os.nft.chain("filter", "FORWARD")).toEqual(["-j FLEET-FORWARD", "-j KUBE-FORWARD"]);
  expect(os.nft.chain("mangle", "POSTROUTING")).toEqual(["-j FLEET-POSTROUTING", "-j CNI-HOST"]);
});

test("a chain of ours that was emptied is filled again at the next tick", async () => {
  const rules = [...(os.nft.chain("filter", "FLEET-FORWARD") ?? [])];
  expect(rules.at(-1)).toBe("-i users0 -j REJECT");
  os.nft.tables.get("filter")?.set("FLEET-FORWARD", []);
  tunnel.reconciler.enqueue("tick");
  await until(() => os.nft.chain("filter", "FLEET-FORWARD")?.length === rules.length);
  expect(os.nft.chain("filter", "FLEET-FORWARD")).toEqual(rules);
});

test("a half-failed apply sets the other peers, is counted, and is repaired by the next tick", async () => {
  const owner = (await world.db("users").first()).id;
  let faults = 0;
  os.fault = (command) => {
    if (command.startsWith("wg set drones0") && command.includes("10.71.0.51/32") && faults++ < 3) {
      throw new Error("Unable to modify interface");
    }
  };
  for (const last of [50, 51, 52]) await world.fleet.drone(`10.71.0.${last}`, owner);
  await until(() => peers("drones0").has("10.71.0.50/32") && peers("drones0").has("10.71.0.52/32"));
  await until(() => peers("drones0").has("10.71.0.51/32"));
  expect(faults).toBeGreaterThanOrEqual(3);
  expect(await metric("fleet_tunnel_failures_total", "peers")).toBeGreaterThan(0);
  os.fault = () => {};
});

test("when half of the rows vanish at once the firewall closes, and the peers stay until the third tick", async () => {
  const owner = (await world.db("users").first()).id;
  for (let last = 100; last < 120; last++) await world.fleet.drone(`10.71.0.${last}`, owner);
  await until(() => peers("drones0").has("10.71.0.119/32"));
  const pairs = () => [...(os.sets.get("fleet-pairs") ?? [])].join("\n");
  await world
    .db("drones")
    .where("ip", ">=", "10.71.0.100")
    .where({ type: "physical" })
    .update({ deleted_at: world.db.fn.now() });
  await until(() => !pairs().includes("10.71.0.110"));
  for (let tick = 0; tick < 2; tick++) {
    tunnel.reconciler.enqueue("tick");
    await until(async () => (await metric("fleet_tunnel_held_removals", "drones")) === 20);
    expect(peers("drones0").has("10.71.0.110/32")).toBe(true);
    // A tick that was asked for while another ran is the same look.
    await tunnel.reconciler.idle();
  }
  tunnel.reconciler.enqueue("tick");
  await until(() => !peers("drones0").has("10.71.0.110/32"));
});

test("the status API lists the peers, and what each user may reach", async () => {
  const { id: user_id } = await world.db("users").where({ ip: "10.70.0.2" }).first();
  const { id } = await world.fleet.drone("10.71.0.60", user_id);
  await until(async () => (await get("/status/drone/10.71.0.60")).status === 200);
  expect(await get("/status/drone/10.71.0.60")).toEqual({
    status: 200,
    body: { ip: "10.71.0.60", status: false, configured: true, latest_handshake: 0 },
  });
  expect((await get("/status/user/10.71.0.60")).status).toBe(404);
  expect((await get("/status/user/banana")).status).toBe(404);
  const { body } = await get("/firewall");
  expect(body["10.70.0.2"].drones).toContainEqual({
    drone_id: id,
    ip: "10.71.0.60",
    ports: [
      { protocol: "tcp", port: 5001 },
      { protocol: "tcp", port: 8554 },
      { protocol: "udp", port: 8554 },
      { protocol: "udp", port: 14900 },
      { protocol: "tcp", port: 22 },
    ],
  });
  expect(await get("/firewall/user/10.70.0.2")).toEqual({
    status: 200,
    body: { ...body["10.70.0.2"], user_id },
  });
  expect((await get("/firewall/user/10.70.9.9")).status).toBe(404);
  expect((await get("/version")).body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

async function object(key: string): Promise<string> {
  const response = await fetch(`${world.objects.url}/fleet-vpn/${key}`);
  if (!response.ok) throw new Error(`${key}: ${response.status}`);
  return response.text();
}

async function metric(name: string, label = ""): Promise<number> {
  const text = await (await fetch(`${tunnel.url}/metrics`)).text();
  const line = text.split("\n").find((line) => line.startsWith(name) && line.includes(label));
  return Number(line?.split(" ").at(-1));
}
