import { openDatabase } from "../../../platform/db";
import type { Mail } from "../../../platform/mail";
import { atEndOfFile } from "../../../testing";
import { cuttable } from "../../../testing/cuttable";
import { startTestGateway } from "../../../testing/start-gateway";
import { until } from "../../../testing/until";
import { droneClient } from "../../../testing/uploads";
import { mailedTo } from "./recipients.store";
import { sendReportTask } from "./reports.service";

test("a mail that is out when the database goes away is recorded when it is back, and not sent again", async () => {
  const gateway = await startTestGateway();
  const user = await gateway.newUser();
  const wish = { type: "sitl", name: "Heron", vehicle_type: "copter" };
  const drone = droneClient(gateway.api, (await user.api.post("/drone", wish)).body.ip);
  const execution_id: number = (await drone.post("/executions/start", {})).body.id;
  await drone.post(`/executions/${execution_id}/complete`, { status: "completed" });
  const cable = await cuttable(gateway.databaseUrl);
  const db = openDatabase(cable.url, { poolMax: 2 });
  atEndOfFile(() => db.destroy());
  const sent: string[] = [];
  const mailer = {
    send: async ({ to }: Mail) => {
      sent.push(to as string);
      cable.cut();
    },
  };
  const deps = { ...gateway.deps, db, mailer: mailer as never, origin: "https://fly.example.com" };
  const task = sendReportTask(deps)({ execution_id }, new AbortController().signal);
  await until(() => sent.length === 1);
  // It has tried, and failed, to record the mail.
  await until(() => db.client.pool.numUsed() === 0);
  expect(await mailedTo(gateway.deps.db, execution_id)).toEqual([]);
  cable.mend();
  await task;
  expect(await mailedTo(gateway.deps.db, execution_id)).toEqual([user.username]);
  await sendReportTask(deps)({ execution_id }, new AbortController().signal);
  expect(sent).toEqual([user.username]);
}, 40_000);
