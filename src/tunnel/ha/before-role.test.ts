import { once } from "node:events";
import pg from "pg";
import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { type TunnelWorld, tunnelWorld } from "../../testing/worlds/start-tunnel";
import { SimulatedOs } from "../os/simulated-os";

let world: TunnelWorld;
beforeAll(async () => {
  world = await tunnelWorld();
});

/** How many daemons' connections hear changes. */
async function listeners(): Promise<number> {
  const { rows } = await world.db.raw(`
    SELECT count(*) FROM pg_stat_activity
    WHERE application_name = 'fleet-listen' AND query LIKE ANY (ARRAY['LISTEN%', 'SELECT 1'])
      AND datname = current_database()`);
  return Number(rows[0].count);
}

/** A second listener of the notifications that the daemon gets. */
async function listening(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  atEndOfFile(() => client.end());
  await client.query("LISTEN fleet_changes");
  return client;
}

test("a daemon changes nothing on the node before it knows its role, even when the database notifies it", async () => {
  const os = new SimulatedOs();
  await world.fleet.user("10.70.0.2");
  const before = await world.start({ os, dataplane: "auto" });
  await until(() => before.lifecycle.state === "ready" && os.links.get("users0")?.peers.size === 1);
  await before.lifecycle.stop("the daemon is replaced");
  expect(os.links.get("users0")?.peers.size).toBe(1);
  await until(async () => (await listeners()) === 0);

  // The role is settled after the store was read.
  const store = await interruptibleLink(world.objects.url);
  store.stall();
  const from = os.commands.length;
  const received = once(await listening(), "notification");
  const starting = world.start({ os, dataplane: "auto" }, { S3_ENDPOINT: store.url });
  atEndOfFile(async () => void (await starting.catch(() => {})));
  await until(async () => (await listeners()) === 1);
  await world.fleet.user("10.70.0.3");
  await received;
  expect(os.commands.slice(from)).toEqual([]);
  store.mend();
  const after = await starting;
  await until(() => after.lifecycle.state === "ready" && os.links.get("users0")?.peers.size === 2);
  expect(os.commands.slice(from).filter((command) => /ip link (del|set \S+ down)/.test(command))).toEqual([]);
});
