import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { droneClient } from "../../testing/worlds/uploads";
import { startWorker } from "./index";

test("a separate worker sends the report of a gateway that runs no jobs, and counts its jobs", async () => {
  const gateway = await startTestGateway();
  const worker = await startWorker({ ...gateway.deps.config, WORKER_PORT: 0 });
  atEndOfFile(() => worker.lifecycle.stop("the test is over"));
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const { id } = (await drone.post("/executions/start", {})).body;
  await drone.post(`/executions/${id}/complete`, { status: "completed" });
  await until(async () => (await user.api.get(`/executions/${id}`)).body.data.report === "sent");
  expect(gateway.mail.mails.filter(({ to }) => to.includes(user.username))).toHaveLength(1);
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  const counted = metrics
    .split("\n")
    .find((line) => /^fleet_job_duration_seconds_count.*send-report/.test(line));
  expect(counted).toMatch(/outcome="done".* 1$/);
});

test("a worker that stopped has released its jobs and closed its connections", async () => {
  const gateway = await startTestGateway();
  const worker = await startWorker({ ...gateway.deps.config, WORKER_PORT: 0 });
  await worker.lifecycle.stop("stopped by the test");
  await expect(fetch(`${worker.url}/readyz`)).rejects.toThrow();
  const { rows } = await gateway.deps.db.raw(
    "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'fleet-worker%'",
  );
  expect(rows).toEqual([]);
});
