import { join } from "node:path";
import { openDatabase } from "../../platform/postgres/db";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile, freshDatabase, freshFolder } from "../../testing";
import { CapturedLog } from "../../testing/captured-log";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { Predecessor } from "./predecessor";
import { LOCK, lockSingleHub } from "./single-hub";

let url: string;
beforeEach(async () => {
  ({ url } = await freshDatabase());
});

async function hub(identity: string, at = url, log = new CapturedLog()) {
  const logger = createLogger("test", "info", log);
  const before = new Predecessor(join(freshFolder("hub"), "lease.json"), logger);
  const wait = () => before.wait();
  const release = await lockSingleHub({ url: at, identity, log: logger, wait });
  atEndOfFile(release);
  return { release, log };
}

test("a second hub is refused with the name of the hub that serves, until the first has ended", async () => {
  const first = await hub("one");
  await expect(hub("two")).rejects.toThrow("Another hub serves this database: fleet-hub one.");
  await first.release();
  await hub("two");
});

test("a hub waits for the one that it replaces on its node, and begins when that has ended", async () => {
  const first = await hub("one");
  const log = new CapturedLog();
  let isServing = false;
  const second = hub("one", url, log).then(() => {
    isServing = true;
  });
  await until(() => log.text.includes("Waiting for this node's hub to end"));
  // A hub of another node still ends by itself.
  await expect(hub("two")).rejects.toThrow("Another hub serves this database: fleet-hub one.");
  expect(isServing).toBe(false);
  await first.release();
  await second;
});

test("a hub whose predecessor ends between its two questions is not refused", async () => {
  const db = openDatabase(url, { poolMax: 1, name: "fleet-hub one", log: createLogger("test", "silent") });
  atEndOfFile(() => db.destroy());
  let isOver = false;
  const comesAndGoes = (async () => {
    while (!isOver) {
      await db.raw("SELECT pg_advisory_lock(?, ?)", LOCK);
      await db.raw("SELECT pg_advisory_unlock(?, ?)", LOCK);
    }
  })();
  try {
    for (let n = 0; n < 30; n++) await (await hub("one")).release();
  } finally {
    isOver = true;
    await comesAndGoes;
  }
});

test("a hub of another database is not refused", async () => {
  await hub("one");
  const { url: elsewhere } = await freshDatabase();
  await hub("two", elsewhere);
});

test.each(["refuses", "is silent"])("a database that %s does not keep a hub from starting", async (how) => {
  const link = await interruptibleLink(url);
  if (how === "refuses") link.cut();
  else link.stall();
  const startedAt = performance.now();
  await hub("one", link.url);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

test("two hubs that started while the database was away are reported when it is back", async () => {
  const link = await interruptibleLink(url);
  link.cut();
  const blind = await hub("one", link.url);
  await hub("two");
  link.mend();
  await until(() => blind.log.text.includes("Another hub serves this database"));
  expect(blind.log.text).toContain("fleet-hub two");
});

test("a hub has the lock again after its connection was lost", async () => {
  const db = openDatabase(url, { poolMax: 1 });
  atEndOfFile(() => db.destroy());
  const link = await interruptibleLink(url);
  const first = await hub("one", link.url);
  link.cut();
  await until(() => first.log.text.includes("The database is away"));
  // Another hub that tried for the lock here could take it.
  const holders = async () =>
    (
      await db.raw(
        `SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
      )
    ).rows;
  await until(async () => (await holders()).length === 0);
  link.mend();
  await until(async () => (await holders()).length > 0);
  expect(await holders()).toEqual([{ application_name: "fleet-hub one" }]);
  await expect(hub("two")).rejects.toThrow("fleet-hub one");
});
