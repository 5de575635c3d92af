import type { Mail } from "../../../platform/mail";
import { openDatabase } from "../../../platform/postgres/db";
import { atEndOfFile } from "../../../testing";
import { until } from "../../../testing/until";
import { confirmRecipients, endExecution, executionOf, startFlight } from "../../../testing/worlds/flights";
import { interruptibleLink } from "../../../testing/worlds/interruptible-link";
import { startTestGateway } from "../../../testing/worlds/start-gateway";
import { droneClient } from "../../../testing/worlds/uploads";
import { mailedRecipients } from "./recipients.store";
import { sendReportTask } from "./send-report";

test("a mail that was sent while the database was unavailable is recorded later, and not sent again", async () => {
  const gateway = await startTestGateway();
  const user = await gateway.newUser();
  const uploadRequest = { type: "sitl", name: "Heron", vehicle_type: "copter" };
  const drone = droneClient(gateway.api, (await user.api.post("/drone", uploadRequest)).body.ip);
  const execution_id: number = (await drone.post("/executions/start", {})).body.id;
  await drone.post(`/executions/${execution_id}/complete`, { status: "completed" });
  const link = await interruptibleLink(gateway.databaseUrl);
  const db = openDatabase(link.url, { poolMax: 2 });
  atEndOfFile(() => db.destroy());
  const sent: string[] = [];
  const mailer = {
    send: async ({ to }: Mail) => {
      sent.push(to as string);
      link.cut();
    },
  };
  const deps = { ...gateway.deps, db, mailer: mailer as never, origin: "https://fly.example.com" };
  const task = sendReportTask(deps)({ execution_id }, new AbortController().signal);
  await until(() => sent.length === 1);
  // It has tried, and failed, to record the mail.
  await until(() => db.client.pool.numUsed() === 0);
  expect(await mailedRecipients(gateway.deps.db, execution_id)).toEqual([]);
  link.mend();
  await task;
  expect(await mailedRecipients(gateway.deps.db, execution_id)).toEqual([user.username]);
  await sendReportTask(deps)({ execution_id }, new AbortController().signal);
  expect(sent).toEqual([user.username]);
});

test("a recipient that the mail server refuses does not stop the others, and is retried alone", async () => {
  const gateway = await startTestGateway();
  const { user, drone, id } = await startFlight(gateway);
  await confirmRecipients(gateway, user, ["full@example.com", "last@example.com"]);
  await endExecution(drone, id);
  const sent: string[] = [];
  let full = true;
  const mailer = {
    send: async ({ to }: Mail) => {
      if (full && to === "full@example.com") throw new Error("552 mailbox full");
      sent.push(to);
    },
  };
  const task = sendReportTask({
    ...gateway.deps,
    mailer: mailer as never,
    origin: "https://fly.example.com",
  });
  const attempt = () => task({ execution_id: id }, new AbortController().signal);
  await expect(attempt()).rejects.toThrow("full@example.com: 552 mailbox full");
  expect(sent).toEqual([user.username, "last@example.com"]);
  expect((await executionOf({ user }, id)).report).toBe("queued");
  full = false;
  await attempt();
  expect(sent).toEqual([user.username, "last@example.com", "full@example.com"]);
  expect((await executionOf({ user }, id)).report).toBe("sent");
});
