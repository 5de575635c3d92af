import { asRoot } from "../../testing/system/namespaces";
import { droneEchoes, type HubPair, hubPair } from "../../testing/system/namespaces/hub-pair";
import type { PairedHub } from "../../testing/system/namespaces/paired-hub";
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
  await until(() => pair.address.target === first);
  await pair.connect();
}, 120_000);

async function secondIsRefused(): Promise<void> {
  second.launch();
  await second.ended();
  expect(await second.upPlanes()).toEqual([]);
  expect(second.output.splice(0).join("")).toContain("Another hub serves this database: fleet-hub a.");
}

asRoot("a second hub exits, names the first and makes no interface", async () => {
  await secondIsRefused();
  expect(await droneEchoes(pair)).toBe(true);
});

asRoot(
  "when the first hub's daemon is killed and restarted, tunnels keep working and it takes the lock again",
  async () => {
    first.signal("SIGKILL");
    await first.ended();
    expect(await droneEchoes(pair)).toBe(true);
    const startedAt = Date.now();
    await first.start();
    await until(async () => (await first.readiness()) === "ready");
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await secondIsRefused();
    expect(await droneEchoes(pair)).toBe(true);
  },
);

asRoot(
  "the first hub keeps serving while Postgres is away for a moment, and takes the lock again",
  async () => {
    first.links.database.cut();
    await until(() => first.output.join("").includes("The database is away"));
    expect([await first.readiness(), await droneEchoes(pair)]).toEqual(["ready", true]);
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

asRoot("a second hub serves when it is started again after the first has ended", async () => {
  first.signal("SIGKILL");
  await first.ended();
  await second.start();
  await until(async () => (await second.readiness()) === "ready");
  expect(await second.upPlanes()).toEqual(["users0", "drones0"]);
});
