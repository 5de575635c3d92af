import { type Db, openDatabase } from "../../platform/postgres/db";
import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { atEndOfFile, freshDatabase } from "../../testing";
import { KeptLog } from "../../testing/kept-log";
import { Metrics } from "../../testing/scrape";
import { until } from "../../testing/until";
import { type Cuttable, cuttable } from "../../testing/worlds/cuttable";
import { monotonicMs } from "./lease";
import { LoneRole } from "./lone-role";
import { loneHubMetrics } from "./metrics";

const PATIENCE_MS = 1_500;

let url: string;
let db: Db;
/** When a hub became active, by name. */
let activeAt: Map<string, number>;

beforeEach(async () => {
  ({ url } = await freshDatabase());
  db = openDatabase(url, { poolMax: 1 });
  activeAt = new Map();
});

afterEach(() => db.destroy());

interface Candidate {
  readonly role: LoneRole;
  readonly log: KeptLog;
  metric(name: string): Promise<number>;
}

async function hub(identity: string, at = url, carries = false): Promise<Candidate> {
  const registry = createMetrics("tunnel");
  const log = new KeptLog();
  const role = new LoneRole({
    url: at,
    identity,
    carries: async () => carries,
    onActive: () => activeAt.set(identity, monotonicMs()),
    now: monotonicMs,
    metrics: loneHubMetrics(registry),
    log: createLogger("test", "info", log),
    patienceMs: PATIENCE_MS,
    everyMs: 50,
  });
  atEndOfFile(() => role.stop());
  await role.start();
  return { role, log, metric: async (name) => new Metrics(await registry.metrics()).value(name) };
}

/** Names of the sessions that hold an advisory lock of the database. */
async function holders(): Promise<string[]> {
  const { rows } = await db.raw(
    "select application_name as name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and datname = current_database()",
  );
  return rows.map(({ name }: { name: string }) => name);
}

const activity = async ({ role, metric }: Candidate) => ({
  isActive: role.isActive,
  active: await metric("fleet_hub_active"),
  rival: await metric("fleet_hub_rival"),
});
const alone = { isActive: true, active: 1, rival: 0 };
const standingBy = { isActive: false, active: 0, rival: 1 };

test("of two hubs the second stands by and names the first, until that has been gone for a while", async () => {
  const first = await hub("one");
  const second = await hub("two");
  expect([await activity(first), await activity(second)]).toEqual([alone, standingBy]);
  expect(second.log.text).toContain("fleet-hub one");
  await first.role.stop();
  const stoppedAt = monotonicMs();
  await until(() => second.role.isActive);
  expect((activeAt.get("two") ?? 0) - stoppedAt).toBeGreaterThan(PATIENCE_MS - 100);
  expect(await activity(second)).toEqual(alone);
});

test("a daemon that restarts has its node's place back although another hub waits for it", async () => {
  const before = await hub("one");
  const other = await hub("two");
  await before.role.stop();
  const after = await hub("one");
  expect([await activity(after), await activity(other)]).toEqual([alone, standingBy]);
});

test("a daemon whose predecessor still ends follows it at once", async () => {
  const before = await hub("one");
  const after = await hub("one");
  expect(after.role.isActive).toBe(false);
  const stoppedAt = monotonicMs();
  await before.role.stop();
  await until(() => after.role.isActive);
  expect((activeAt.get("one") ?? 0) - stoppedAt).toBeLessThan(PATIENCE_MS);
});

test("a hub through which tunnels run serves on beside another, and says so", async () => {
  await hub("one");
  const carrying = await hub("two", url, true);
  expect(await activity(carrying)).toEqual({ isActive: true, active: 1, rival: 1 });
  expect(carrying.log.text).toContain("serves on");
});

describe("a database that goes away", () => {
  let cable: Cuttable;
  beforeEach(async () => {
    cable = await cuttable(url);
  });

  test("ends no hub's service, and its place is its own again when the database is back", async () => {
    const first = await hub("one", cable.url);
    const other = await hub("two");
    cable.cut();
    await until(() => first.log.text.includes("cannot be asked"));
    await until(async () => !(await holders()).includes("fleet-hub one"));
    expect([first.role.isActive, other.role.isActive]).toEqual([true, false]);
    cable.mend();
    await until(async () => (await holders()).includes("fleet-hub one"));
    expect([await activity(first), await activity(other)]).toEqual([alone, standingBy]);
  });

  test.each(["refuses", "is silent"])("does not keep a hub from starting when it %s", async (how) => {
    if (how === "refuses") cable.cut();
    else cable.stall();
    const startedAt = monotonicMs();
    const { role } = await hub("one", cable.url);
    expect(role.isActive).toBe(true);
    expect(monotonicMs() - startedAt).toBeLessThan(4_000);
  });

  test("brings two hubs to light that began to serve meanwhile", async () => {
    cable.cut();
    const blind = await hub("one", cable.url);
    const other = await hub("two");
    cable.mend();
    await until(async () => (await blind.metric("fleet_hub_rival")) === 1);
    expect([blind.role.isActive, other.role.isActive]).toEqual([true, true]);
  });
});

test("another database's hub is none of this one's business", async () => {
  await hub("one");
  const { url: elsewhere } = await freshDatabase();
  expect(await activity(await hub("two", elsewhere))).toEqual(alone);
});
