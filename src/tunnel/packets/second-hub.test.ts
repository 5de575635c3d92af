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
  await until(() => pair.address.leadsTo === first, 30_000);
  await pair.connect();
  await second.start();
  await until(async () => (await second.readiness()) === "standby", 30_000);
}, 120_000);

/** Names of the sessions that have the one hub's place. */
async function holders(): Promise<string[]> {
  const { rows } = await pair.world.db.raw(
    "select application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted",
  );
  return rows.map(({ name }: { name: string }) => name);
}

const rivals = () => Promise.all(pair.hubs.map((hub) => hub.metric("fleet_hub_rival")));

asRoot("a second hub stands by, mute, and tells of the first", async () => {
  expect(await second.upPlanes()).toEqual([]);
  expect(await rivals()).toEqual([0, 1]);
  expect(second.said.join("")).toContain("another hub serves this database: this one stands by");
  expect(await echoes(pair)).toBe(true);
});

asRoot(
  "the first's daemon is killed and comes back: tunnels run on, and the place is its own within seconds",
  async () => {
    first.signal("SIGKILL");
    await first.gone();
    expect(await echoes(pair)).toBe(true);
    const startedAt = Date.now();
    await first.start();
    await until(async () => (await first.readiness()) === "ready");
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect([await second.readiness(), await rivals()]).toEqual(["standby", [0, 1]]);
    expect(await echoes(pair)).toBe(true);
  },
  60_000,
);

asRoot(
  "Postgres is away from the first for a moment: it serves on, and the second does not begin to",
  async () => {
    first.cables.database.cut();
    await until(() => first.said.join("").includes("cannot be asked of the database"));
    expect([await first.readiness(), await echoes(pair)]).toEqual(["ready", true]);
    first.cables.database.mend();
    await until(async () => (await holders()).includes("fleet-hub a"));
    expect([await second.readiness(), await rivals()]).toEqual(["standby", [0, 1]]);
  },
  60_000,
);

asRoot(
  "the first is gone for good: the second has its place, and a daemon that finds tunnels on its node serves beside it and says so",
  async () => {
    first.signal("SIGKILL");
    await until(async () => (await second.readiness()) === "ready", 60_000);
    expect(await second.upPlanes()).toEqual(["users0", "drones0"]);
    await first.start();
    await until(async () => (await first.readiness()) === "ready", 30_000);
    expect(await rivals()).toEqual([1, 0]);
    expect(first.said.join("")).toContain("this one serves on, for tunnels run through it");
  },
  120_000,
);
