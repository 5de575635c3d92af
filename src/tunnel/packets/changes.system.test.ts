import {
  asRoot,
  controlStream,
  type HubTestbed,
  hubTestbed,
  type Namespace,
  printRoundTrips,
} from "../../testing/system/namespaces";
import { until } from "../../testing/until";
import type { Tunnel } from "../index";

let testbed: HubTestbed;
let tunnel: Tunnel;
let longest: () => Promise<number>;

const tcp = (port: number) => ({ protocol: "tcp" as const, port });
const udp = (port: number) => ({ protocol: "udp" as const, port });

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  testbed = await hubTestbed();
  tunnel = await testbed.world.start({ os: testbed.hub.os, dataplane: "auto" });
  await testbed.connectAll();
  for (const { client } of testbed.drones) await client.node.echo(tcp(5001), tcp(6001), tcp(22), udp(14900));
  const [ann, ben] = testbed.operators;
  const [d1, , d3] = testbed.drones;
  await until(() => ann.client.node.probe({ host: d1.ip, ...tcp(22) }));
  await until(() => ben.client.node.probe({ host: d3.ip, ...tcp(22) }));
  longest = await controlStream(ben.client.node, d3.client.node, 5001);
}, 90_000);

const flows = async (from: Namespace, name: string, atLeast = 5) => {
  const { echoed } = await from.report(name);
  await until(async () => (await from.report(name)).echoed >= echoed + atLeast);
};

/** One second, and more only where the machine is so busy that a stream past the tunnels feels it. */
const cutLimitMs = async () => Math.max(1_000, 2 * (await longest()));

/** Make a change and see that nothing of the stream comes back later than the limit after it. */
async function cuts(from: Namespace, name: string, change: () => Promise<unknown>): Promise<void> {
  await flows(from, name);
  await change();
  const changedAt = Date.now();
  // Two seconds of silence: the stream is dead, not slow.
  await until(async () => Date.now() - (await from.report(name)).lastEchoAt > 2_000, 15_000);
  const { lastEchoAt } = await from.report(name);
  expect(lastEchoAt - changedAt).toBeLessThan(await cutLimitMs());
}

asRoot(
  "a stream through one peer loses nothing during 200 changes of other peers",
  async () => {
    const [, ben] = testbed.operators;
    const [, , d3] = testbed.drones;
    const { db, fleet } = testbed.world;
    await ben.client.node.stream("steady", { host: d3.ip, ...tcp(5001) });
    await flows(ben.client.node, "steady");
    for (let change = 0; change < 100; change++) {
      const user = await fleet.user(`10.70.1.${change}`);
      await fleet.drone(`10.71.1.${change}`, user.id);
    }
    await db("users").whereRaw("ip <<= '10.70.1.0/24'").delete();
    const others = async () =>
      (await testbed.hub.shell("wg show all allowed-ips")).match(/10\.7[01]\.1\.\d/g);
    await until(async () => (await others()) !== null, 45_000);
    for (let tick = 0; tick < 3; tick++) {
      tunnel.reconciler.enqueue("tick");
      await tunnel.reconciler.idle();
    }
    await until(async () => (await others()) === null, 45_000);
    await flows(ben.client.node, "steady");
    const { sent, echoed, worstMs } = await ben.client.node.report("steady");
    expect(sent - echoed).toBeLessThanOrEqual(2 + worstMs / 20);
    expect(worstMs).toBeLessThan(await longest());
    await printRoundTrips(ben.client.node, "steady", "while 200 other peers came and went");
  },
  120_000,
);

asRoot("when a drone changes owner, the old owner's stream is cut and the new owner reaches it", async () => {
  const [ann, ben] = testbed.operators;
  const [d1] = testbed.drones;
  await ann.client.node.stream("tcp to d1", { host: d1.ip, ...tcp(5001) });
  await ann.client.node.stream("udp to d1", { host: d1.ip, ...udp(14900) });
  await flows(ann.client.node, "udp to d1");
  await cuts(ann.client.node, "tcp to d1", () =>
    testbed.world.db("drones").where({ id: d1.id }).update({ user_id: ben.id }),
  );
  expect(Date.now() - (await ann.client.node.report("udp to d1")).lastEchoAt).toBeGreaterThan(1_000);
  await expect(ben.client.node.probe({ host: d1.ip, ...tcp(5001) }, 5_000)).resolves.toBe(true);
  const known = await testbed.hub.shell("conntrack -L --orig-src 10.70.0.2 --orig-dst 10.71.0.2 2>/dev/null");
  // Packets that are still sent are refused before they become a connection again.
  expect(known).not.toContain("ASSURED");
});

asRoot(
  "when another owner's drone takes an address in one transaction, the old key stops working and the new drone is reached",
  async () => {
    const [ann, ben, cleo] = testbed.operators;
    const [d1, d2] = testbed.drones;
    await ann.client.node.stream("to d2", { host: d2.ip, ...tcp(6001) });
    const before = (await d2.client.node.shell("wg show wg0 public-key")).trim();
    let next = 0;
    await cuts(ann.client.node, "to d2", () =>
      testbed.world.db.transaction(async (trx) => {
        await trx("drones").where({ id: d2.id }).update({ deleted_at: trx.fn.now() });
        const [row] = await trx("drones")
          .insert({
            user_id: cleo.id,
            name: "next",
            type: "physical",
            vehicle_type: "copter",
            ip: d2.ip,
            port: 5001,
          })
          .returning("id");
        next = row.id;
      }),
    );
    expect(await testbed.hub.shell("wg show drones0 peers")).not.toContain(before);
    await expect(cleo.client.node.probe({ host: d2.ip, ...tcp(5001) }, 1_500)).resolves.toBe(false);
    // The new drone's computer gets the new drone's config.
    await testbed.connect({ ...d2, id: next }, "drones");
    await until(() => cleo.client.node.probe({ host: d2.ip, ...tcp(5001) }));
    await expect(ann.client.node.probe({ host: d2.ip, ...tcp(5001) }, 1_500)).resolves.toBe(false);
    await expect(ben.client.node.probe({ host: d1.ip, ...tcp(22) }, 5_000)).resolves.toBe(true);
  },
);

asRoot(
  "a rotated key cuts off the lost laptop within a second, and the new config reconnects its owner",
  async () => {
    const [, ben] = testbed.operators;
    const [, , d3] = testbed.drones;
    await ben.client.node.stream("to d3", { host: d3.ip, ...tcp(5001) });
    await cuts(ben.client.node, "to d3", () =>
      testbed.world
        .db("users")
        .where({ id: ben.id })
        .update({ vpn_key_id: testbed.world.db.raw("gen_random_uuid()") }),
    );
    await expect(ben.client.node.probe({ host: d3.ip, ...tcp(22) }, 1_500)).resolves.toBe(false);
    await testbed.connect(ben, "users");
    await until(() => ben.client.node.probe({ host: d3.ip, ...tcp(22) }));
  },
);

asRoot("a deleted user's stream and key stop working within a second", async () => {
  const [, ben] = testbed.operators;
  const [, , d3] = testbed.drones;
  const key = (await ben.client.node.shell("wg show wg0 public-key")).trim();
  await ben.client.node.stream("last", { host: d3.ip, ...tcp(22) });
  await cuts(ben.client.node, "last", () => testbed.world.db("users").where({ id: ben.id }).delete());
  await until(
    async () => !(await testbed.hub.shell("wg show users0 peers")).includes(key),
    await cutLimitMs(),
  );
});
