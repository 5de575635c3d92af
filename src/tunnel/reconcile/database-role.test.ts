import knex from "knex";
import { ensureReader } from "../../platform/postgres/reader-role";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { type TunnelWorld, tunnelWorld } from "../../testing/worlds/start-tunnel";
import { SimulatedOs } from "../os/simulated-os";

let world: TunnelWorld;
/** As the chart's setup makes it. */
const role = `tunnel_${process.pid}_${Date.now()}`;
let url: URL;

beforeAll(async () => {
  world = await tunnelWorld();
  await ensureReader(world.db, { role, password: "reads only" }, ["users", "drones"]);
  url = new URL(world.databaseUrl);
  url.username = role;
  url.password = "reads only";
});

afterAll(async () => {
  await world.db.raw(`DROP OWNED BY ${role}`);
  await world.db.raw(`DROP ROLE ${role}`);
});

test("a role that may read two tables and listen is all the tunnel service needs", async () => {
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
  }
});

test("a hub whose role may read nothing any more keeps every peer, and goes on when it may again", async () => {
  const os = new SimulatedOs();
  const tunnel = await world.start(
    { os, dataplane: "auto" },
    { DATABASE_URL: url.href, DB_REFRESH_SECONDS: "1" },
  );
  const refusals = async () =>
    (await scrape(tunnel.url)).value("fleet_tunnel_failures_total", { stage: "database" });
  try {
    const user = await world.fleet.user("10.70.0.3");
    const drone = await world.fleet.drone("10.71.0.3", user.id);
    const peers = () => [...(os.links.get("drones0")?.peers.values() ?? [])].flat();
    await until(() => peers().includes("10.71.0.3/32"));
    await world.db.raw(`REVOKE SELECT ON users, drones FROM ${role}`);
    await world.fleet.deleteDrone(drone.id);
    const before = await refusals();
    await until(async () => (await refusals()) > before);
    expect(peers()).toContain("10.71.0.3/32");
    await world.db.raw(`GRANT SELECT ON users, drones TO ${role}`);
    await until(() => !peers().includes("10.71.0.3/32"));
  } finally {
    await tunnel.lifecycle.stop("the test is over");
  }
});
