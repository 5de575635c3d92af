import { planes } from "../../domain/tunnel-planes";
import { asRoot, controlStream } from "../../testing/system/namespaces";
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

asRoot(
  "a daemon that is started beside the one on its node replaces it: no packet is lost, and the edge is away for a moment",
  async () => {
    const [operator, drone] = [pair.operator.client.node, pair.drone.client.node];
    const echo = { protocol: "tcp", port: 5001 } as const;
    await drone.echo(echo);
    const limitMs = await controlStream(operator, drone, echo.port);
    await operator.stream("replaced", { host: pair.drone.ip, ...echo });
    const edge = { host: planes.drones.hub, protocol: "tcp", port: 8088 } as const;
    await until(() => drone.probe(edge, 500));
    let isReplaced = false;
    const replaced = first.replace().finally(() => {
      isReplaced = true;
    });
    let [openAt, awayMs, answers] = [performance.now(), 0, 0];
    while (answers < 10) {
      if (!(await drone.probe(edge, 500))) continue;
      awayMs = Math.max(awayMs, performance.now() - openAt);
      openAt = performance.now();
      if (isReplaced) answers += 1;
    }
    await replaced;
    process.stdout.write(
      `the edge of a hub whose daemon was replaced was away for ${Math.round(awayMs)} ms\n`,
    );
    expect(awayMs).toBeLessThan(3_000);
    await until(async () => (await first.readiness()) === "ready");
    expect((await operator.report("replaced")).worstMs).toBeLessThan(await limitMs());
    await secondIsRefused();
  },
);

asRoot("a daemon also waits for one on its node that lost its lock while Postgres was away", async () => {
  first.links.database.cut();
  await until(() => first.output.join("").includes("The database is away"));
  await first.replace();
  first.links.database.mend();
  await until(async () => (await first.readiness()) === "ready");
  expect(first.output.join("")).not.toContain("EADDRINUSE");
  expect(await droneEchoes(pair)).toBe(true);
  await secondIsRefused();
});

asRoot("a second hub serves when it is started again after the first has ended", async () => {
  first.signal("SIGKILL");
  await first.ended();
  await second.start();
  await until(async () => (await second.readiness()) === "ready");
  expect(await second.upPlanes()).toEqual(["users0", "drones0"]);
});
