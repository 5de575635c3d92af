import { asRoot } from "../../testing/system/namespaces";
import { echoes, type HubPair, hubPair, type PairedHub } from "../../testing/system/namespaces/hub-pair";
import { until } from "../../testing/until";

/** Two daemons with the same keys and one database, neither of which was told that there is another. */
let pair: HubPair;
let first: PairedHub;
let second: PairedHub;

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  pair = await hubPair({ HUB_LEASE: "none", DB_REFRESH_SECONDS: "2" });
  [first, second] = pair.hubs;
  await first.start();
  await until(() => pair.address.leadsTo === first);
  await pair.connect();
}, 120_000);

async function secondIsRefused(): Promise<void> {
  second.launch();
  await second.gone();
  expect(await second.upPlanes()).toEqual([]);
  expect(second.said.splice(0).join("")).toContain("Another hub serves this database: fleet-hub a.");
}

asRoot("a second hub exits, names the first and makes no interface", async () => {
  await secondIsRefused();
  expect(await echoes(pair)).toBe(true);
});

asRoot(
  "the first hub's daemon is killed and comes back: tunnels run on, and the lock is its own again",
  async () => {
    first.signal("SIGKILL");
    await first.gone();
    expect(await echoes(pair)).toBe(true);
    const startedAt = Date.now();
    await first.start();
    await until(async () => (await first.readiness()) === "ready");
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await secondIsRefused();
    expect(await echoes(pair)).toBe(true);
  },
);

asRoot(
  "Postgres is away from the first hub for a moment: it serves on and has the lock again afterwards",
  async () => {
    first.links.database.cut();
    await until(() => first.said.join("").includes("The database is away"));
    expect([await first.readiness(), await echoes(pair)]).toEqual(["ready", true]);
    first.links.database.mend();
    await until(async () => {
      const { rows } = await pair.world.db.raw(
        "select 1 from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and application_name = 'fleet-hub a'",
      );
      return rows.length === 1;
    });
    await secondIsRefused();
  },
);

asRoot("the first hub is gone for good: the second serves once it is started again", async () => {
  first.signal("SIGKILL");
  await first.gone();
  await second.start();
  await until(async () => (await second.readiness()) === "ready");
  expect(await second.upPlanes()).toEqual(["users0", "drones0"]);
});
