import { straightFlight } from "../../testing/flight-logs";
import { until } from "../../testing/until";
import {
  endExecution,
  executionOf,
  type Flight,
  startExecution,
  startFlight,
  untilReported,
} from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { put, sha256, upload } from "../../testing/worlds/uploads";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

const nameLog = ({ drone }: Flight, id: number, asset_id: number) =>
  drone.post(`/executions/${id}/log`, { asset_id });
const statsOf = ({ user }: Flight, id: number) => user.api.get(`/executions/${id}/flight-stats`);
const archiveOf = async ({ user }: Flight, id: number) =>
  (await user.api.get(`/executions/${id}/archive`)).body;

/** A drone's second flight, after one that was named a log and has ended. */
async function nextFlight(flight: Flight, asset_id: number): Promise<number> {
  expect((await nameLog(flight, flight.id, asset_id)).status).toBe(200);
  await endExecution(flight.drone, flight.id);
  return startExecution(flight.drone);
}

test("the report of the execution that a log is moved to waits for it, the former one's does not", async () => {
  const flight = await startFlight(gateway);
  const uploadRequest = { file_name: "1.bin", asset_type: "logs", execution_id: flight.id };
  const { asset_id } = (await flight.drone.post("/authenticate_upload", uploadRequest)).body;
  const second = await nextFlight(flight, asset_id);
  expect((await executionOf(flight, flight.id)).report).toBe("pending");
  expect((await nameLog(flight, second, asset_id)).status).toBe(200);
  await untilReported(flight, flight.id);
  expect(await executionOf(flight, flight.id)).toMatchObject({ log_asset_id: null, assets: [] });
  expect((await statsOf(flight, flight.id)).status).toBe(404);
  await endExecution(flight.drone, second);
  expect(await executionOf(flight, second)).toMatchObject({
    log_asset_id: asset_id,
    report: "pending",
    assets: [{ id: asset_id }],
  });
});

test("a log that was analysed is moved with its statistics, and both archives are out of date", async () => {
  const flight = await startFlight(gateway);
  const { asset_id } = await upload(
    flight.drone,
    { file_name: "1.bin", asset_type: "logs" },
    straightFlight(),
  );
  const second = await nextFlight(flight, asset_id);
  const isReady = async (id: number) => (await statsOf(flight, id)).body.data?.status === "ready";
  await until(() => isReady(flight.id), 60_000);
  const ids = [flight.id, second];
  const made = async () => {
    const archives = await Promise.all(ids.map((id) => archiveOf(flight, id)));
    return archives.every(({ status }) => status === "ready") && archives;
  };
  const before = await until(made, 60_000);
  await nameLog(flight, second, asset_id);
  await until(() => isReady(second), 60_000);
  expect((await statsOf(flight, second)).body.data.stats.duration_seconds).toBe(100);
  expect((await statsOf(flight, flight.id)).status).toBe(404);
  const after = await until(made, 60_000);
  for (const [at, { sha256 }] of after.entries()) expect(sha256).not.toBe(before[at]?.sha256);
});

test("concurrent moves, completions, requests and deletions of logs do not deadlock", async () => {
  const flight = await startFlight(gateway);
  const { drone, vehicle, user } = flight;
  const contents = ["one", "two", "three"];
  const uploadRequest = (content: string) => ({
    file_name: `${content}.bin`,
    asset_type: "logs",
    checksum: sha256(content),
  });
  const begun: { asset_id: number; url: string }[] = [];
  for (const content of contents) {
    begun.push((await drone.post("/authenticate_upload", uploadRequest(content))).body);
    await put(begun.at(-1)?.url as string, content);
  }
  const [one, two, three] = begun.map(({ asset_id }) => asset_id) as [number, number, number];
  await endExecution(drone, flight.id);
  const second = await startExecution(drone);
  const complete = (asset_id: number) => drone.post("/complete_upload", { asset_id });
  for (let round = 0; round < 4; round++) {
    const replies = await Promise.all([
      ...[one, two, three].map((asset) => nameLog(flight, flight.id, asset)),
      ...[three, two, one].map((asset) => nameLog(flight, second, asset)),
      ...[one, two].map(complete),
      ...contents.map((content) =>
        drone.post("/authenticate_upload", { ...uploadRequest(content), execution_id: second }),
      ),
      user.api.post(`/executions/${flight.id}/analyze-log`),
      ...(round === 3 ? [user.api.post(`/assets/${vehicle.id}/delete`, { ids: [one, two, three] })] : []),
    ]);
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
  }
  const named = await gateway.deps
    .db("executions")
    .join("assets", "assets.id", "executions.log_asset_id")
    .whereIn("executions.id", [flight.id, second])
    .whereRaw("assets.execution_id IS DISTINCT FROM executions.id");
  expect(named).toEqual([]);
});

test("the log of an earlier owner's flight does not become one of the next owner's", async () => {
  const flight = await startFlight(gateway);
  const { asset_id } = await upload(
    flight.drone,
    { file_name: "1.bin", asset_type: "logs", execution_id: flight.id },
    "where the first owner lives",
  );
  await endExecution(flight.drone, flight.id);
  const buyer = await gateway.newUser();
  await gateway.deps.db("drones").where({ id: flight.vehicle.id }).update({ user_id: buyer.id });
  const second = await startExecution(flight.drone);
  expect(await nameLog(flight, second, asset_id)).toMatchObject({
    status: 403,
    body: { success: false, error: { code: 403 } },
  });
  expect(await executionOf({ user: buyer }, second)).toMatchObject({ log_asset_id: null, assets: [] });
  expect(await executionOf(flight, flight.id)).toMatchObject({ assets: [{ id: asset_id }] });
  const late = await upload(
    flight.drone,
    { file_name: "2.bin", asset_type: "logs", execution_id: flight.id },
    "the first owner's, too",
  );
  expect(late.completed.body).toMatchObject({ user_id: flight.user.id });
});
