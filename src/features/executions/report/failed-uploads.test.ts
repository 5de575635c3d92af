import { straightFlight } from "../../../testing/flight-logs";
import { until } from "../../../testing/until";
import {
  deadlineOf,
  endExecution,
  executionOf,
  expireDeadline,
  startFlight,
  untilReported,
} from "../../../testing/worlds/flights";
import { startTestGateway, type TestGateway, type TestUser } from "../../../testing/worlds/start-gateway";
import { put, sha256, upload } from "../../../testing/worlds/uploads";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

const MINUTES = 60_000;
const mailTo = ({ username }: TestUser) => gateway.mail.mails.find(({ to }) => to.includes(username));
const uploadRequest = { file_name: "flight.bin", asset_type: "logs", checksum: sha256(straightFlight()) };

/** A flight that has ended, and whose log arrived as something else. */
async function withFailedLog() {
  const flight = await startFlight(gateway);
  const { drone, id } = flight;
  const announced = { ...uploadRequest, execution_id: id };
  const { asset_id, url } = (await drone.post("/authenticate_upload", announced)).body;
  await drone.post(`/executions/${id}/log`, { asset_id });
  await put(url, "half of it");
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(400);
  await endExecution(drone, id);
  const { completed_at, report } = await executionOf(flight, id);
  expect(report).toBe("pending");
  return { ...flight, announced, asset_id, url, endedAt: new Date(completed_at).getTime() };
}

const dueIn = async ({ id, endedAt }: { id: number; endedAt: number }) =>
  ((await deadlineOf(gateway, id))?.getTime() ?? 0) - endedAt;

test("a report waits ten minutes for the retry of a failed upload, and includes its log", async () => {
  const flight = await withFailedLog();
  expect(await dueIn(flight)).toBe(10 * MINUTES);
  await put(flight.url, straightFlight());
  const again = await flight.drone.post("/complete_upload", { asset_id: flight.asset_id });
  expect(again.status).toBe(200);
  await untilReported(flight, flight.id);
  expect(mailTo(flight.user)?.text).toMatch(/Flight time: +1:40/);
  expect(await deadlineOf(gateway, flight.id)).toBeUndefined();
});

test("after ten minutes without a retry the report is sent, and names what is missing", async () => {
  const flight = await withFailedLog();
  await expireDeadline(gateway, flight.id);
  await untilReported(flight, flight.id);
  const text = mailTo(flight.user)?.text;
  expect(text).toContain("Uploads that failed: flight.bin.");
  expect(text).toContain("The flight log has not arrived: there are no statistics.");
});

test("a report waits for a retry that is pending after ten minutes, until a day after the end", async () => {
  const flight = await withFailedLog();
  const retried = await flight.drone.post("/authenticate_upload", flight.announced);
  expect(retried.body.asset_id).toBe(flight.asset_id);
  await expireDeadline(gateway, flight.id);
  await until(async () => (await dueIn(flight)) === 24 * 60 * MINUTES);
  expect((await executionOf(flight, flight.id)).report).toBe("pending");
  await expireDeadline(gateway, flight.id);
  await untilReported(flight, flight.id);
  expect(mailTo(flight.user)?.text).toContain("Not uploaded yet: flight.bin.");
});

test("a report does not wait for a log that was deleted before its analysis", async () => {
  const { user, drone, vehicle, id } = await startFlight(gateway);
  const { asset_id } = (await drone.post("/authenticate_upload", { ...uploadRequest, execution_id: id }))
    .body;
  await drone.post(`/executions/${id}/log`, { asset_id });
  await endExecution(drone, id);
  expect((await user.api.get(`/executions/${id}/flight-stats`)).body.data.status).toBe("pending");
  await user.api.post(`/assets/${vehicle.id}/delete`, { ids: [asset_id] });
  await untilReported({ user }, id);
  expect((await user.api.get(`/executions/${id}/flight-stats`)).status).toBe(404);
});

test("a requested analysis that fails at the store is done by a job", async () => {
  const { user, drone, id } = await startFlight(gateway);
  await upload(drone, { ...uploadRequest, execution_id: id }, straightFlight());
  const { store, db } = gateway.deps;
  const away = jest.spyOn(store, "read").mockRejectedValueOnce(new Error("the store is away"));
  try {
    expect((await user.api.post(`/executions/${id}/analyze-log`)).status).toBeGreaterThanOrEqual(500);
  } finally {
    away.mockRestore();
  }
  const stats = async () => (await user.api.get(`/executions/${id}/flight-stats`)).body.data.status;
  expect(await stats()).toBe("pending");
  await db.raw("UPDATE graphile_worker._private_jobs SET run_at = now()");
  await until(async () => (await stats()) === "ready", 60_000);
});

test("a report names a log that is missing in the store, and does not wait for it", async () => {
  const { user, drone, vehicle, id } = await startFlight(gateway);
  const { asset_id } = await upload(drone, { ...uploadRequest, execution_id: id }, straightFlight());
  await gateway.deps.store.deletePrefix(`assets/${vehicle.id}/${asset_id}/`);
  await drone.post(`/executions/${id}/log`, { asset_id });
  await endExecution(drone, id);
  await untilReported({ user }, id);
  expect((await user.api.get(`/executions/${id}/flight-stats`)).body.data).toMatchObject({
    status: "failed",
    error: "The log is no longer in the object store.",
  });
});
