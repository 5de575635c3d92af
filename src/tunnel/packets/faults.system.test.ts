import {
  asRoot,
  controlStream,
  type HubTestbed,
  hubTestbed,
  printRoundTrips,
} from "../../testing/system/namespaces";
import { type Daemon, DaemonHost } from "../../testing/system/namespaces/daemon-host";
import { foreignInterface } from "../../testing/system/namespaces/foreign-interface";
import { type SocketLink, socketLink } from "../../testing/system/namespaces/socket-link";
import { until } from "../../testing/until";

const tcp = (port: number) => ({ protocol: "tcp" as const, port });

let testbed: HubTestbed;
let database: SocketLink;
let store: SocketLink;
let host: DaemonHost;
let daemon: Daemon;
let longest: () => Promise<number>;

/** The real entrypoint, as a process of its own on the hub, with links to its services that a test can cut. */
beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  testbed = await hubTestbed();
  database = await socketLink(testbed.world.env.DATABASE_URL as string);
  store = await socketLink(testbed.world.env.S3_ENDPOINT as string);
  host = new DaemonHost(testbed.hub, {
    ...testbed.world.env,
    DATABASE_URL: database.url(await testbed.hub.forward(database.path)),
    S3_ENDPOINT: store.url(await testbed.hub.forward(store.path)),
    TUNNEL_PORT: "5050",
    LOG_LEVEL: "trace",
    DB_REFRESH_SECONDS: "1",
  });
  daemon = await host.start();
  await testbed.connectAll();
  for (const { client } of testbed.drones) await client.node.echo(tcp(5001), tcp(22));
  await until(
    () => testbed.operators[0].client.node.probe({ host: testbed.drones[0].ip, ...tcp(5001) }),
    20_000,
  );
  longest = await controlStream(testbed.operators[0].client.node, testbed.drones[0].client.node, 5001);
  await testbed.operators[0].client.node.stream("steady", { host: testbed.drones[0].ip, ...tcp(5001) });
}, 120_000);

afterAll(() => daemon?.kill());

const ann = () => testbed.operators[0].client.node;

/** The stream that has run since the beginning has lost nothing so far and goes on. */
async function steady(since?: string): Promise<void> {
  const { echoed } = await ann().report("steady");
  await until(async () => (await ann().report("steady")).echoed > echoed + 10);
  const report = await ann().report("steady");
  expect(report.sent - report.echoed).toBeLessThanOrEqual(2 + report.worstMs / 20);
  expect(report.worstMs).toBeLessThan(await longest());
  if (since) await printRoundTrips(ann(), "steady", since);
}

const peers = async (name: string) =>
  (await testbed.hub.shell(`wg show ${name} allowed-ips`)).split("\n").filter(Boolean).sort();
/** Everything of the hub that a restart must not change, the interfaces' indexes included. */
const footprint = async () => [
  await peers("users0"),
  await peers("drones0"),
  await testbed.hub.shell("ip -o link show users0; ip -o link show drones0"),
];

asRoot("tunnels keep working when the daemon is killed and started again", async () => {
  const before = await footprint();
  daemon.kill();
  await daemon.gone;
  await steady();
  daemon = await host.start();
  await steady("while the daemon was killed and started again");
  expect(await footprint()).toEqual(before);
});

asRoot(
  "tunnels keep working while Postgres is down, also over a restart of the daemon; changes are applied when it is back",
  async () => {
    database.cut();
    const before = await peers("drones0");
    await until(
      async () => (await daemon.metric("fleet_tunnel_failures_total", { stage: "database" })) > 0,
      20_000,
    );
    daemon.kill();
    await daemon.gone;
    daemon = await host.start();
    await until(
      async () => (await daemon.metric("fleet_tunnel_failures_total", { stage: "database" })) > 0,
      20_000,
    );
    expect(await peers("drones0")).toEqual(before);
    await steady();
    database.mend();
    const owner = testbed.operators[0].id;
    const drone = await testbed.world.fleet.drone("10.71.2.1", owner);
    await until(async () => (await peers("drones0")).some((line) => line.includes("10.71.2.1/32")));
    await testbed.world.fleet.deleteDrone(drone.id);
  },
  90_000,
);

asRoot(
  "peers stay while the object store is down, also over a restart; a new peer is added when it is back",
  async () => {
    store.cut();
    daemon.kill();
    await daemon.gone;
    daemon = await host.start();
    await testbed.world.fleet.drone("10.71.2.2", testbed.operators[0].id);
    await until(
      async () => (await daemon.metric("fleet_tunnel_failures_total", { stage: "configs" })) > 0,
      30_000,
    );
    expect((await peers("drones0")).some((line) => line.includes("10.71.2.2/32"))).toBe(false);
    expect((await peers("drones0")).some((line) => line.includes("10.71.0.2/32"))).toBe(true);
    await steady();
    store.mend();
    await until(async () => (await peers("drones0")).some((line) => line.includes("10.71.2.2/32")));
  },
  90_000,
);

asRoot(
  "after a half-failed apply and a malformed row tunnels keep working, other peers are served, metrics count it, and it recovers",
  async () => {
    const owner = testbed.operators[0].id;
    const has = async (ip: string) => (await peers("drones0")).some((line) => line.includes(`${ip}/32`));
    host.refuse("10.71.3.2/32");
    const fleet = await Promise.all(
      [1, 2, 3].map((last) => testbed.world.fleet.drone(`10.71.3.${last}`, owner)),
    );
    await until(async () => (await has("10.71.3.1")) && (await has("10.71.3.3")));
    await until(
      async () => (await daemon.metric("fleet_tunnel_failures_total", { stage: "peers" })) > 0,
      20_000,
    );
    expect(await has("10.71.3.2")).toBe(false);
    await testbed.world.db("vpn_addresses").insert({ ip: "10.70.3.9", range: "drones" });
    const fault = { plane: "drones", fault: "address_outside_plane" };
    const malformed = await testbed.world.fleet.drone("10.71.3.4", owner);
    await testbed.world.db("drones").where({ id: malformed.id }).update({ ip: "10.70.3.9" });
    await until(async () => (await daemon.metric("fleet_tunnel_faulty_rows", fault)) > 0);
    await steady();
    host.refuse(undefined);
    await until(() => has("10.71.3.2"));
    for (const { id } of [...fleet, malformed]) await testbed.world.fleet.deleteDrone(id);
    await until(async () => !(await has("10.71.3.2")));
  },
  120_000,
);

asRoot(
  "when many rows vanish at once the firewall closes and the peers stay; when the rows are back they keep their keys",
  async () => {
    const owner = testbed.operators[0].id;
    daemon.kill();
    await daemon.gone;
    // Three ticks are more than this takes.
    daemon = await host.start({ DB_REFRESH_SECONDS: "6" });
    for (let last = 1; last <= 8; last++) await testbed.world.fleet.drone(`10.71.4.${last}`, owner);
    const added = async () => (await peers("drones0")).filter((line) => line.includes("10.71.4."));
    await until(async () => expect(await added()).toHaveLength(8));
    const lost = testbed.drones[1];
    await until(() => ann().probe({ host: lost.ip, ...tcp(22) }));
    const before = await peers("drones0");
    const gone = () => testbed.world.db("drones").where({ id: lost.id }).orWhereRaw("ip <<= '10.71.4.0/24'");
    await gone().update({ deleted_at: testbed.world.db.fn.now() });
    const open = async () => (await testbed.hub.shell("ipset save fleet-pairs")).includes(lost.ip);
    await until(async () => !(await open()));
    const held = () => daemon.metric("fleet_tunnel_held_removals", { plane: "drones" });
    await until(async () => expect(await held()).toBe(9));
    await expect(ann().probe({ host: lost.ip, ...tcp(22) }, 1_000)).resolves.toBe(false);
    expect(await peers("drones0")).toEqual(before);
    await gone().update({ deleted_at: null });
    await until(() => ann().probe({ host: lost.ip, ...tcp(22) }));
    expect(await held()).toBe(0);
    expect(await peers("drones0")).toEqual(before);
    await steady();
    await testbed.world
      .db("drones")
      .whereRaw("ip <<= '10.71.4.0/24'")
      .update({ deleted_at: testbed.world.db.fn.now() });
    // This time they stay away, until three ticks confirm it.
    await until(async () => expect(await added()).toEqual([]), 60_000);
    await steady();
  },
  180_000,
);

asRoot(
  "the daemon restarts a killed wireguard-go, and clients reconnect with their configs",
  async () => {
    const pid = (await testbed.hub.shell("pidof -s wireguard-go || true")).trim();
    if (pid) await testbed.hub.shell("kill -9 $(pidof wireguard-go)");
    else await testbed.hub.shell("ip link delete users0; ip link delete drones0");
    await until(
      async () => (await peers("drones0")).length > 0 && (await peers("users0")).length > 0,
      20_000,
    );
    await until(() => ann().probe({ host: testbed.drones[0].ip, ...tcp(22) }), 10_000);
    // A drone that was idle is spoken to first; by itself it would stay away for up to two minutes.
    await until(() => ann().probe({ host: testbed.drones[1].ip, ...tcp(22) }), 5_000);
  },
  100_000,
);

asRoot(
  "--teardown removes the hub's own objects only, and after a new start every client reconnects with its old config",
  async () => {
    daemon.kill();
    await daemon.gone;
    await testbed.hub.shell(`iptables -N OTHERS
      iptables -A OTHERS -p tcp --dport 9 -j DROP
      iptables -A FORWARD -j OTHERS
      ipset create others hash:ip
      ipset add others 192.0.2.9`);
    const core = await foreignInterface(testbed.hub);
    const coreBefore = await core();
    const child = host.run("--teardown");
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    const left = await testbed.hub.shell("iptables-save; ipset list -name; ip -o link");
    expect(left).not.toMatch(/FLEET|fleet-pairs|users0|drones0/);
    const others = async () => {
      const kept = await testbed.hub.shell("iptables-save -t filter; ipset list others");
      expect(kept).toContain("-A FORWARD -j OTHERS\n");
      expect(kept).toContain("-A OTHERS -p tcp -m tcp --dport 9 -j DROP\n");
      expect(kept).toContain("192.0.2.9");
      expect(await core()).toBe(coreBefore);
    };
    await others();
    daemon = await host.start();
    // Idle ones too: the hub remembers where it heard them last.
    await Promise.all([
      until(() => ann().probe({ host: testbed.drones[0].ip, ...tcp(22) }), 10_000),
      until(() => testbed.operators[1].client.node.probe({ host: testbed.drones[2].ip, ...tcp(22) }), 10_000),
    ]);
    await others();
  },
  120_000,
);

asRoot("no log line or metric of these tests holds a private key", async () => {
  const text = host.output + (await daemon.metrics());
  expect(text).toContain("Set a peer");
  expect(text).toContain("fleet_tunnel_peers");
  const { configs, env } = testbed.world;
  const texts = [...(await configs.configs()), ...(await configs.tombstones())].map(({ key }) =>
    configs.get(key),
  );
  const keys = (await Promise.all(texts)).flatMap((text) => /PrivateKey = (\S+)/.exec(text ?? "")?.[1] ?? []);
  // Those of operators, drones, and drones that are gone.
  expect(keys.length).toBeGreaterThan(6);
  for (const key of [...keys, env.USERS_PRIVATE_KEY, env.DRONES_PRIVATE_KEY]) expect(text).not.toContain(key);
});
