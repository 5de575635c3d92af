import knex from "knex";
import { ensureReader } from "../platform/reader-role";
import { type TunnelWorld, tunnelWorld } from "../testing/start-tunnel";
import { until } from "../testing/until";
import { SimulatedOs } from "./os/simulated-os";

let world: TunnelWorld;
beforeAll(async () => {
  world = await tunnelWorld();
});

test("a role that may read two tables and listen is all the tunnel service needs", async () => {
  const role = `tunnel_${process.pid}_${Date.now()}`;
  // As the chart's setup makes it.
  await ensureReader(world.db, { role, password: "reads only" }, ["users", "drones"]);
  const url = new URL(world.databaseUrl);
  url.username = role;
  url.password = "reads only";
  const theirs = knex({ client: "pg", connection: url.href, pool: { min: 0, max: 1 } });
  const os = new SimulatedOs();
  const tunnel = await world.start(
    { os, dataplane: "auto" },
    { DATABASE_URL: url.href, DB_REFRESH_SECONDS: "3600" },
  );
  try {
    await until(() => tunnel.lifecycle.state === "ready");
    // Not by a tick: the role hears of the change.
    const user = await world.fleet.user("10.70.0.2");
    await until(() => os.links.get("users0")?.peers.size === 1);
    await world.fleet.drone("10.71.0.2", user.id);
    await until(() => os.links.get("drones0")?.peers.size === 1);
    await expect(theirs("users").update({ ip: null })).rejects.toThrow("permission denied");
    await expect(theirs("drones").delete()).rejects.toThrow("permission denied");
    await expect(theirs("subscriptions").select("*")).rejects.toThrow("permission denied");
  } finally {
    await tunnel.lifecycle.stop("the test is over");
    await theirs.destroy();
    await world.db.raw(`DROP OWNED BY ${role}`);
    await world.db.raw(`DROP ROLE ${role}`);
  }
});
