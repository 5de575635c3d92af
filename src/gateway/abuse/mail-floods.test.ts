import { until } from "../../testing/until";
import {
  endExecution,
  executionOf,
  startExecution,
  startFlight,
  untilReported,
} from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

const statusesOf = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]),
  );

describe("without an account", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ TRUSTED_PROXIES: "loopback", QUOTA_REGISTRATIONS: "3" });
  });
  const from = (address: string) => gateway.api.with({ "x-forwarded-for": address });

  test("of 300 mails that one site asks for, from several networks, 20 are sent", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 300; n++) {
      const email = `nobody-${n}@example.com`;
      statuses.push((await from(`2001:db8:1:${n % 9}::1`).post("/verify-email", { email })).status);
    }
    expect(statusesOf(statuses)).toEqual({ 200: 20, 429: 280 });
    expect(gateway.mail.mails).toHaveLength(20);
    const user = await gateway.newUser();
    const reset = (address: string) => from(address).post("/reset-password", { email: user.username });
    expect(await reset("2001:db8:1:1::1")).toMatchObject({
      status: 429,
      body: { error: { message: expect.stringMatching(/quota network_mails .*Try again in/) } },
    });
    expect((await reset("2001:db8:2:1::1")).status).toBe(200);
  });

  test("one site registers so many users an hour", async () => {
    const { tokens } = gateway.features.account;
    const register = async (n: number, address: string) => {
      const token = tokens.verification(`newcomer-${n}@example.com`);
      const reply = await from(address).post(`/register/${token}`, { password: "long enough" });
      return reply.status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push(await register(n, "203.0.113.5"));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await register(5, "203.0.113.6")).toBe(200);
  });
});

test("mails to one mailbox under many tags are limited, and its owner still gets a new password", async () => {
  const gateway = await startTestGateway({ QUOTA_MAILBOX_MAILS: "4", QUOTA_REQUESTED_MAILS: "0" });
  const victim = await gateway.newUser();
  const { user, drone, id } = await startFlight(gateway);
  await endExecution(drone, id);
  const [local, host] = victim.username.split("@");
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    const email = `${local}+${n}@${host}`;
    statuses.push((await user.api.post(`/executions/${id}/send-report`, { email })).status);
  }
  expect(statusesOf(statuses)).toEqual({ 200: 4, 429: 4 });
  expect((await gateway.api.post("/reset-password", { email: victim.username })).status).toBe(200);
});

test("requests of callers without an account do not use up the mails for a new password", async () => {
  const gateway = await startTestGateway();
  const victim = await gateway.newUser();
  const { user, drone, id } = await startFlight(gateway);
  await endExecution(drone, id);
  const statuses: number[] = [];
  for (let n = 0; n < 7; n++) {
    const email = { email: victim.username };
    statuses.push((await user.api.post(`/executions/${id}/send-report`, email)).status);
  }
  expect(statusesOf(statuses)).toEqual({ 200: 5, 429: 2 });
  expect((await gateway.api.post("/reset-password", { email: victim.username })).status).toBe(200);
});

describe("reports beyond a quota", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ WORKER_IN_PROCESS: "true", QUOTA_MAILS: "6" });
  });

  const jobsOf = (id: number) =>
    gateway.deps
      .db("graphile_worker.jobs")
      .where({ task_identifier: "send-report" })
      .select("run_at", "key")
      .whereRaw(
        "jobs.id IN (SELECT id FROM graphile_worker._private_jobs WHERE payload->>'execution_id' = ?)",
        [String(id)],
      );

  test("wait for the end of its window and say why, and are refused after a week", async () => {
    const { user, drone, id: first } = await startFlight(gateway);
    const ids = [first];
    await endExecution(drone, first);
    for (let n = 1; n < 9; n++) {
      const id = await startExecution(drone);
      ids.push(id);
      await endExecution(drone, id);
    }
    const reports = () => Promise.all(ids.map((id) => executionOf({ user }, id)));
    await until(async () => {
      const done = (await reports()).filter(
        ({ report, report_reason }) => report === "sent" || report_reason,
      );
      return done.length === ids.length;
    }, 60_000);
    const found = await reports();
    expect(found.filter(({ report }) => report === "sent")).toHaveLength(6);
    expect(gateway.mail.mails.filter(({ to }) => to.includes(user.username))).toHaveLength(6);
    const [early, late, last] = found.filter(({ report }) => report === "queued");
    expect(early.report_reason).toMatch(/quota mails is used up/);
    const [job] = await jobsOf(early.id);
    const hours = (job.run_at.getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(24.1);
    const { db, redis } = gateway.deps;
    const due = (id: number) =>
      db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE payload->>'execution_id' = ?", [
        String(id),
      ]);
    await db("executions")
      .where({ id: last.id })
      .update({ completed_at: db.raw("now() - interval '8 days'") });
    await due(last.id);
    await until(async () => (await executionOf({ user }, last.id)).report === "refused", 60_000);
    expect(await jobsOf(last.id)).toEqual([]);
    // The window is over.
    await redis.del(`limit:mails:${user.id}`);
    await due(early.id);
    await due(late.id);
    await untilReported({ user }, early.id);
    await untilReported({ user }, late.id);
    expect((await executionOf({ user }, early.id)).report_reason).toBeNull();
  });
});
