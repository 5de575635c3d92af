import { TlogReader } from "../../flight-log/tlog/reader";
import { ApiClient } from "../../testing/client";
import { compiledPrograms } from "../../testing/programs/programs";
import { until } from "../../testing/until";
import { endExecution, startExecution } from "../../testing/worlds/flights";
import { REPLICA_ENV, startReplicaProcess, tappedDrone } from "../../testing/worlds/replicas";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { droneClient } from "../../testing/worlds/uploads";

jest.setTimeout(180_000);

test("the record of a flight whose gateway is killed goes on at another one, with what was written before", async () => {
  const other = await startTestGateway({ ...REPLICA_ENV, FLIGHT_RECORDER: "on", WORKER_IN_PROCESS: "true" });
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = other.deps.config;
  const killed = await startReplicaProcess(compiledPrograms(), other, {
    S3_ENDPOINT: S3_ENDPOINT as string,
    S3_ACCESS_KEY_ID: S3_ACCESS_KEY_ID as string,
    S3_SECRET_ACCESS_KEY: S3_SECRET_ACCESS_KEY as string,
  });
  const user = await other.newUser();
  const drone = await tappedDrone(user);
  const onKilled = new ApiClient(`${killed.url}/api/v1`);
  const assets = async () => (await user.api.get(`/assets/${drone.id}`)).body.data;
  const order = (api: ApiClient, path: string, fields: object = {}) =>
    api.as(user.token).post(`/drone/action/${path}`, { drone_id: drone.id, ...fields });

  const id = await startExecution(droneClient(onKilled, drone.ip));
  expect((await order(onKilled, "guided")).status).toBe(200);
  expect((await order(onKilled, "arm")).status).toBe(200);
  expect((await order(onKilled, "takeoff", { altitude: 10 })).status).toBe(200);
  await until(async () => (await assets())[0]?.size > 0);
  killed.signal("SIGKILL");
  const killedAt = Date.now();
  await killed.ended;
  // Nobody uses or watches it: the other gateway holds its link for the record alone.
  const { size } = (await assets())[0];
  await until(async () => (await assets())[0].size > size, 60_000);
  expect(drone.vehicle.state.armed).toBe(true);
  expect((await order(other.api, "land")).status).toBe(200);
  await until(() => !drone.vehicle.state.armed);
  await endExecution(droneClient(other.api, drone.ip), id);

  const record = await until(
    async () => (await assets()).find(({ status }: { status: string }) => status === "ready") ?? false,
    60_000,
  );
  expect(record).toMatchObject({ execution_id: id, recorded: true });
  const { download_url } = (await user.api.get(`/assets/${drone.id}/download/${record.id}`)).body;
  const bytes = Buffer.from(await (await fetch(download_url)).arrayBuffer());
  const times: number[] = [];
  new TlogReader((_, at) => times.push(at / 1000)).read(bytes, bytes.length);
  expect(times[0]).toBeLessThan(killedAt);
  expect(times.at(-1)).toBeGreaterThan(killedAt + 5_000);
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(60_000);
});
