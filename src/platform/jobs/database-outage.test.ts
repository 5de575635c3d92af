import { atEndOfFile, freshDatabase } from "../../testing";
import { until } from "../../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { type Db, openDatabase } from "../postgres/db";
import { createLogger } from "../process/log";
import { createMetrics } from "../process/metrics";
import { enqueue, listJobs } from "./jobs";
import { startJobWorker, type Tasks } from "./worker";

/** A worker whose database is at the end of a link, and a way to that database around it. */
let link: InterruptibleLink;
let db: Db;
beforeEach(async () => {
  const { url } = await freshDatabase();
  link = await interruptibleLink(url);
  db = openDatabase(url);
  const opened = db;
  atEndOfFile(() => opened.destroy());
});

const work = (tasks: Tasks) => {
  const worker = startJobWorker({
    url: link.url,
    tasks,
    concurrency: 2,
    log: createLogger("test", "silent"),
    registry: createMetrics("test"),
    pollMs: 300,
    renewMs: 100,
    expiryMs: 1_500,
    queryTimeoutMs: 1_000,
  });
  atEndOfFile(() => worker.stop());
  return worker;
};

/** As long as the machine may take beyond what is promised. */
const LIMIT_MS = 25_000;

/** Two at once, so that each of the two workers has one. */
const pairDone = async (done: string[], name: string) => {
  for (const half of ["a", "b"])
    await enqueue(db, { task: "note", payload: { name: `${name} ${half}` }, user: null });
  await until(() => [`${name} a`, `${name} b`].every((one) => done.includes(one)), LIMIT_MS);
  await until(async () => (await listJobs(db)).length === 0, LIMIT_MS);
};

/** Notes what it was given; a job called `slow` ends when it is let. */
function notes() {
  const done: string[] = [];
  const started: string[] = [];
  let letGo = () => {};
  const slow = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const note = async (payload: unknown) => {
    const { name } = payload as { name: string };
    started.push(name);
    if (name === "slow") await slow;
    done.push(name);
  };
  return { done, started, letGo: () => letGo(), tasks: { note } };
}

/** The server's side of the open connections ends with the server. */
const losePower = async () => {
  const { rows } = await db.raw(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'fleet-jobs'
     AND datname = current_database()`,
  );
  link.stall();
  for (const { pid } of rows) await db.raw("SELECT pg_terminate_backend(?)", [pid]);
};
const listeners = async () => {
  const { rows } = await db.raw(
    `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'fleet-jobs' AND datname = current_database()
     AND query LIKE ANY (ARRAY['LISTEN%', 'SELECT 1'])`,
  );
  return rows[0].count as number;
};

test("after a failover of the database the worker polls and listens at its successor", async () => {
  const { done, tasks } = notes();
  work(tasks);
  await pairDone(done, "before");
  await until(async () => (await listeners()) === 2);
  await losePower();
  await until(async () => (await listeners()) === 0);
  await enqueue(db, { task: "note", payload: { name: "meanwhile" }, user: null });
  link.replace();
  await until(() => done.includes("meanwhile"), LIMIT_MS);
  await pairDone(done, "after");
  await until(async () => (await listeners()) === 2, LIMIT_MS);
  expect(done.toSorted()).toEqual([...new Set(done)].sort());
}, 90_000);

test.each([
  ["cannot be reached", async () => link.cut(), () => link.mend()],
  ["lost its power", losePower, () => link.replace()],
] as const)(
  "a job that ends while the database %s is done again, and its worker works on",
  async (_name, fault, end) => {
    const { done, started, letGo, tasks } = notes();
    work(tasks);
    await enqueue(db, { task: "note", payload: { name: "slow" }, user: null });
    await until(() => started.includes("slow"));
    await fault();
    letGo();
    await until(() => done.includes("slow"));
    await until(async () => (await listJobs(db)).every(({ state }) => state === "running"));
    end();
    await until(async () => (await listJobs(db)).length === 0, LIMIT_MS);
    expect(started.filter((name) => name === "slow")).toHaveLength(2);
    // As many at once as ever.
    await pairDone(done, "after");
    const { rows } = await db.raw("SELECT count(*) FROM graphile_worker.jobs");
    expect(rows[0].count).toBe(0);
  },
  90_000,
);

test("a job whose worker did not get the assignment is released, and a job under way is not", async () => {
  const { done, started, letGo, tasks } = notes();
  work(tasks);
  await enqueue(db, { task: "note", payload: { name: "slow" }, user: null });
  await until(() => started.includes("slow"));
  const { rows } = await db.raw("SELECT locked_by AS worker FROM graphile_worker.jobs");
  await enqueue(db, {
    task: "note",
    payload: { name: "stray" },
    user: null,
    runAt: new Date(Date.now() + 60_000),
  });
  await db.raw(
    `UPDATE graphile_worker._private_jobs SET locked_by = ?, locked_at = now(), run_at = now(), attempts = 1
     WHERE locked_by IS NULL`,
    [rows[0].worker],
  );
  await until(() => done.includes("stray"), LIMIT_MS);
  expect(started).toEqual(["slow", "stray"]);
  letGo();
  await until(async () => (await listJobs(db)).length === 0);
  expect(done).toEqual(["stray", "slow"]);
});

test("a worker stops while its database does not answer", async () => {
  const { done, tasks } = notes();
  const worker = work(tasks);
  await pairDone(done, "before");
  link.stall();
  const stoppedAt = performance.now();
  await worker.stop();
  expect(performance.now() - stoppedAt).toBeLessThan(LIMIT_MS);
});
