import { Readable } from "node:stream";
import { type GatewayProcess, startGatewayProcess } from "../testing/programs/gateway-process";
import { until } from "../testing/until";
import {
  startTestGateway,
  TEST_ARCHIVE_KEY,
  type TestGateway,
  type TestUser,
} from "../testing/worlds/start-gateway";
import { droneClient } from "../testing/worlds/uploads";

const MEGABYTE = 2 ** 20;

let gateway: TestGateway;
/** On the same database and store, in a process of its own, with its worker. */
let measured: GatewayProcess;
beforeAll(async () => {
  gateway = await startTestGateway();
  measured = await startGatewayProcess(gateway, {
    WORKER_IN_PROCESS: "true",
    ARCHIVE_SIGNING_KEY: TEST_ARCHIVE_KEY,
  });
}, 120_000);

/** So many megabytes, which are never in memory together. */
function* content(megabytes: number) {
  const chunk = Buffer.alloc(MEGABYTE, "flight");
  for (let n = 0; n < megabytes; n++) yield chunk;
}

/** A flight that brings back so many megabytes, which are checked, and its archive. */
async function fly(user: TestUser, ip: string, megabytes: number): Promise<void> {
  const drone = droneClient(measured.api, ip);
  const api = measured.api.as(user.token);
  const { id } = (await drone.post("/executions/start", {})).body;
  const input = { file_name: `${megabytes}.bin`, asset_type: "logs", execution_id: id };
  const { asset_id, url } = (await drone.post("/authenticate_upload", input)).body;
  const stored = await fetch(url, {
    method: "PUT",
    body: Readable.toWeb(Readable.from(content(megabytes))),
    headers: { "content-length": String(megabytes * MEGABYTE) },
    duplex: "half",
  } as never);
  expect(stored.status).toBe(200);
  expect((await drone.post("/complete_upload", { asset_id })).status).toBe(200);
  await drone.post(`/executions/${id}/complete`, { status: "completed" });
  const made = await until(async () => {
    const { body } = await api.get(`/executions/${id}/archive`);
    return body.status === "ready" && body;
  });
  expect(made.size).toBeGreaterThan(megabytes * MEGABYTE);
  await api.delete(`/executions/${id}`);
}

test("an asset of 200 MB is uploaded, checked and archived in the memory that one of 60 MB takes", async () => {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  await fly(user, body.ip, 60);
  const small = measured.memory().peak;
  expect(small).toBeGreaterThan(50);
  await fly(user, body.ip, 200);
  expect(measured.memory().peak / small).toBeLessThan(1.35);
}, 180_000);
