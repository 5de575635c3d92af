import { fork } from "node:child_process";
import { join } from "node:path";
import { atEndOfFile, freshDatabase } from "../../testing";
import { compiledPrograms } from "../../testing/programs/programs";
import { until } from "../../testing/until";
import { type Db, openDatabase } from "../postgres/db";
import { createLogger } from "../process/log";
import { createMetrics } from "../process/metrics";
import { cancelJob, enqueue, jobsOf, listJobs, observeJobs, retryDeadJobs } from "./jobs";
import { startJobWorker, type Tasks } from "./worker";

let db: Db;
let url: string;
beforeEach(async () => {
  url = (await freshDatabase()).url;
  db = openDatabase(url);
  const opened = db;
  atEndOfFile(() => opened.destroy());
});

const work = (tasks: Tasks, registry = createMetrics("test"), expiryMs = 1_000, concurrency = 2) => {
  const worker = startJobWorker({
    url,
    tasks,
    concurrency,
    log: createLogger("test", "silent"),
    registry,
    pollMs: 50,
    renewMs: 50,
    expiryMs,
  });
  atEndOfFile(() => worker.stop());
  return worker;
};

/** In a process of its own. It takes a job and never finishes it. */
function stuckWorker() {
  const child = fork(join(compiledPrograms(), "src/testing/programs/stuck-worker.js"), {
    execArgv: [],
    env: { ...process.env, DATABASE_URL: url },
  });
  atEndOfFile(async () => void child.kill("SIGKILL"));
  return child;
}

const dueNow = () => db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now()");

test("a job is done when its transaction commits, and never when it is rolled back", async () => {
  const done: unknown[] = [];
  work({ note: async (payload) => void done.push(payload) });
  await db.transaction((trx) => enqueue(trx, { task: "note", payload: { n: 1 }, user: null }));
  await db
    .transaction(async (trx) => {
      await enqueue(trx, { task: "note", payload: { n: 2 }, user: null });
      throw new Error("rolled back");
    })
    .catch(() => undefined);
  await enqueue(db, { task: "note", payload: { n: 3 }, user: null });
  await until(async () => (await listJobs(db)).length === 0);
  // In whichever order: two are done at a time.
  expect(new Set(done)).toEqual(new Set([{ n: 1 }, { n: 3 }]));
  expect(done).toHaveLength(2);
});

test("of the waiting jobs with one key only the last is done, and a withdrawn job is not", async () => {
  const later = new Date(Date.now() + 60_000);
  for (const n of [1, 2])
    await enqueue(db, { task: "note", payload: { n }, user: null, key: "one", runAt: later });
  await enqueue(db, { task: "note", payload: { n: 3 }, user: null, key: "other", runAt: later });
  await cancelJob(db, "other");
  await dueNow();
  const done: unknown[] = [];
  work({ note: async (payload) => void done.push(payload) });
  await until(async () => (await listJobs(db)).length === 0);
  expect(done).toEqual([{ n: 2 }]);
});

test("two workers do each of two hundred jobs once", async () => {
  const done: number[] = [];
  const tasks: Tasks = { count: async (payload) => void done.push((payload as { n: number }).n) };
  work(tasks);
  work(tasks);
  await db.transaction(async (trx) => {
    for (let n = 0; n < 200; n++) await enqueue(trx, { task: "count", payload: { n }, user: null });
  });
  await until(async () => (await listJobs(db)).length === 0, 15_000);
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test("one job of a user with a serial number runs at a time, also when a later one has the running one's key", async () => {
  const running: number[] = [];
  const most: number[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tasks: Tasks = {
    write: async (payload) => {
      const { n } = payload as { n: number };
      running.push(n);
      most.push(running.length);
      if (n === 1) await held;
      running.splice(running.indexOf(n), 1);
    },
    other: async () => release(),
  };
  work(tasks);
  work(tasks);
  const job = (n: number) => ({ task: "write", payload: { n }, user: 1, serial: 7, key: "write:7" });
  await enqueue(db, job(1));
  await until(() => running.length === 1);
  await enqueue(db, job(2));
  // Were it not held back, it would run before the one that came later.
  await enqueue(db, { task: "other", payload: {}, user: null });
  await until(async () => (await listJobs(db)).length === 0);
  expect(most).toEqual([1, 1]);
});

/** The names of the jobs in the order in which they began; each runs until it is released. */
function heldTask() {
  const begun: string[] = [];
  const releases: (() => void)[] = [];
  const tasks: Tasks = {
    slow: async (payload) => {
      begun.push((payload as { name: string }).name);
      await new Promise<void>((resolve) => releases.push(resolve));
    },
  };
  return { begun, tasks, release: () => releases.shift()?.() };
}

const slow = (user: number, name: string) => ({ task: "slow", payload: { name }, user });

test("a user with 200 slow jobs has one that runs, and another's job runs at once", async () => {
  const { begun, tasks, release } = heldTask();
  await db.transaction(async (trx) => {
    for (let n = 0; n < 200; n++) await enqueue(trx, slow(7, `many ${n}`));
  });
  work(tasks);
  await until(() => begun.length === 1);
  await enqueue(db, slow(8, "only one"));
  await until(() => begun.length === 2);
  expect(begun).toEqual(["many 0", "only one"]);
  expect(await jobsOf(db, 7)).toEqual({ running: 1, waiting: 199 });
  // With both workers taken by users of many jobs, a third user's turn is after one job of each.
  for (let n = 0; n < 200; n++) await enqueue(db, slow(8, `more ${n}`));
  await enqueue(db, slow(9, "a newcomer's"));
  for (let count = 3; count <= 5; count++) {
    release();
    await until(() => begun.length === count);
  }
  expect(begun.slice(2)).toEqual(["many 1", "more 0", "a newcomer's"]);
  await db.raw("TRUNCATE graphile_worker._private_jobs");
  for (let n = 0; n < 3; n++) release();
}, 20_000);

test("a user with many waiting jobs gets a turn as often as two who always have a few more", async () => {
  const done: Record<number, number> = { 7: 0, 8: 0, 9: 0 };
  const job = (user: number) => ({ task: "quick", payload: { user }, user });
  const tasks: Tasks = {
    quick: async (payload) => {
      const { user } = payload as { user: number };
      done[user] = (done[user] ?? 0) + 1;
      if (user !== 7 && (done[8] ?? 0) + (done[9] ?? 0) < 60) await enqueue(db, job(user));
    },
  };
  for (let n = 0; n < 100; n++) await enqueue(db, job(7));
  for (const user of [8, 9]) for (let n = 0; n < 3; n++) await enqueue(db, job(user));
  const worker = work(tasks, createMetrics("test"), 1_000, 1);
  await until(() => (done[8] ?? 0) + (done[9] ?? 0) >= 60);
  await worker.stop();
  expect(done[7]).toBeGreaterThanOrEqual(25);
  expect(done[7]).toBeLessThan(60);
}, 30_000);

test("as many jobs of a user run at a time as the quota allows, and 0 sets no limit", async () => {
  const { begun, tasks, release } = heldTask();
  work(tasks, createMetrics("test"), 1_000, 4);
  const limited = async (user: number, jobsPerUser: number) => {
    const asked = openDatabase(url, { jobsPerUser });
    atEndOfFile(() => asked.destroy());
    for (let n = 0; n < 4; n++) await enqueue(asked, { ...slow(user, `${user}`), serial: n });
  };
  await limited(7, 2);
  await until(() => begun.length === 2);
  await limited(8, 0);
  await until(() => begun.length === 4);
  expect(begun.toSorted()).toEqual(["7", "7", "8", "8"]);
  expect(await jobsOf(db, 7)).toEqual({ running: 2, waiting: 2 });
  for (let done = 0; done < 8; done++) {
    release();
    if (done < 4) await until(() => begun.length === 5 + done);
  }
});

test("a job that fails waits longer and longer, then is dead: seen in the list and in metrics, and revived", async () => {
  const registry = createMetrics("test");
  observeJobs(registry, db);
  let broken = true;
  let attempts = 0;
  work(
    {
      fragile: async () => {
        attempts++;
        if (broken) throw new Error("the mail server said no");
      },
    },
    registry,
  );
  await enqueue(db, { task: "fragile", payload: {}, user: null, maxAttempts: 2 });
  await until(async () => (await listJobs(db))[0]?.last_error === "the mail server said no");
  const [waiting] = await listJobs(db);
  expect(waiting).toMatchObject({ task: "fragile", state: "waiting", attempts: 1, max_attempts: 2 });
  expect(waiting?.run_at.getTime()).toBeGreaterThan(Date.now());
  await dueNow();
  await until(async () => (await listJobs(db))[0]?.state === "dead");
  expect(attempts).toBe(2);
  expect(await registry.metrics()).toMatch(/fleet_jobs\{task="fragile",state="dead",process="test"\} 1/);
  broken = false;
  const [dead] = await listJobs(db);
  expect(await retryDeadJobs(db, [dead?.id as string])).toEqual([dead?.id]);
  await until(async () => (await listJobs(db)).length === 0);
  expect(attempts).toBe(3);
});

test("a killed worker's job is done by another within seconds; a living worker's job is left to it", async () => {
  const child = stuckWorker();
  await enqueue(db, { task: "nap", payload: {}, user: null });
  await new Promise((resolve) => child.once("message", resolve));
  let awake = 0;
  let probes = 0;
  work({ nap: async () => void awake++, probe: async () => void probes++ }, createMetrics("test"), 2_000);
  await enqueue(db, { task: "probe", payload: {}, user: null });
  await until(() => probes === 1);
  // Longer than the expiry, by the database's clock.
  await db.raw("SELECT pg_sleep(3)");
  expect(awake).toBe(0);
  child.kill("SIGKILL");
  await until(() => awake === 1);
  await until(async () => (await listJobs(db)).length === 0);
});

test("an attempt whose worker is killed counts, and after the last one the job is dead", async () => {
  await enqueue(db, { task: "nap", payload: {}, user: 7, maxAttempts: 2 });
  work({});
  for (let attempt = 1; attempt <= 2; attempt++) {
    await dueNow();
    const child = stuckWorker();
    await new Promise((resolve) => child.once("message", resolve));
    expect((await listJobs(db))[0]).toMatchObject({ state: "running", attempts: attempt });
    child.kill("SIGKILL");
    await until(async () => (await listJobs(db))[0]?.state !== "running");
  }
  expect((await listJobs(db))[0]).toMatchObject({
    ...{ state: "dead", attempts: 2, last_error: "The worker died during the attempt." },
  });
});

test("a worker that loses its connections repeatedly for a short time keeps its job", async () => {
  let begun = 0;
  let mayEnd = false;
  const tasks = {
    long: async () => {
      begun += 1;
      await until(() => mayEnd);
    },
  };
  for (let worker = 0; worker < 2; worker++) work(tasks, createMetrics("test"), 10_000);
  await enqueue(db, { task: "long", payload: {}, user: null });
  await until(() => begun === 1);
  const lockedAt = async (): Promise<string> =>
    (await db.raw("SELECT locked_at::text FROM graphile_worker.jobs")).rows[0].locked_at;
  for (let cuts = 0; cuts < 4; cuts++) {
    await db.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fleet-jobs'
       AND datname = current_database()`,
    );
    const before = await lockedAt();
    await until(async () => (await lockedAt()) !== before);
  }
  expect(begun).toBe(1);
  mayEnd = true;
  await until(async () => (await listJobs(db)).length === 0);
  expect(begun).toBe(1);
});

test("the metric shows how long the oldest due job has waited, and ignores later jobs", async () => {
  const registry = createMetrics("test");
  observeJobs(registry, db);
  await enqueue(db, { task: "late", payload: {}, user: null, runAt: new Date(Date.now() - 3_600_000) });
  await enqueue(db, { task: "later", payload: {}, user: null, runAt: new Date(Date.now() + 3_600_000) });
  const metrics = await registry.metrics();
  const [, seconds] = /fleet_jobs_oldest_due_seconds\{task="late".*\} (\S+)/.exec(metrics) ?? [];
  expect(Number(seconds)).toBeGreaterThan(3_500);
  expect(metrics).not.toContain('oldest_due_seconds{task="later"');
});
