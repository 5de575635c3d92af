import { setTimeout as delay } from "node:timers/promises";
import { enqueue } from "../../platform/jobs/jobs";
import { startFlight } from "../../testing/worlds/flights";
import { startTestGateway } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(180_000);

const OFF = { QUOTA_MAILS: "0", QUOTA_MAILBOX_MAILS: "0", QUOTA_ALL_MAILS: "0", QUOTA_REQUESTED_MAILS: "0" };

test("a mail for a new password is sent at once while 300 reports and 300 mails asked for without an account wait at a slow server", async () => {
  const env = { ...OFF, WORKER_IN_PROCESS: "true", TRUSTED_PROXIES: "loopback" };
  const gateway = await startTestGateway(env, undefined, 200);
  const { db } = gateway.deps;
  const victim = await gateway.newUser();
  const { user, vehicle } = await startFlight(gateway);
  const rows = Array.from({ length: 300 }, () => ({
    ...{ drone_id: vehicle.id, user_id: user.id, status: "completed", report: "queued" },
    ...{ started_at: new Date(), completed_at: new Date() },
  }));
  const executions: { id: number }[] = await db("executions").insert(rows).returning("id");
  for (const { id } of executions)
    await enqueue(db, { task: "send-report", payload: { execution_id: id }, user: user.id });
  const flood = Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const caller = gateway.api.with({ "x-forwarded-for": `192.0.2.${n}` });
      return (await caller.post("/verify-email", { email: `nobody-${n}@example.com` })).status;
    }),
  );
  const beside = user.api.post(`/executions/${executions[0]?.id}/send-report`, { email: "a@example.com" });
  await delay(300);
  const waits: number[] = [];
  for (let n = 0; n < 3; n++) {
    const began = performance.now();
    const email = { email: victim.username };
    const reset = gateway.api.with({ "x-forwarded-for": "203.0.113.7" }).post("/reset-password", email);
    waits.push((await reset).status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY);
  }
  const statuses = await flood;
  await beside;
  // 5 s at an idle machine: so many mails the server takes of each other queue in that time, on any machine.
  const before = gateway.mail.mails.findIndex(({ to }) => to.includes(victim.username));
  expect(before).toBeGreaterThanOrEqual(0);
  expect(before).toBeLessThan(2 * 25);
  expect(waits.filter((ms) => ms > 10_000)).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});
