import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import { startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { droneClient, put } from "../../testing/worlds/uploads";

let beside: TestGateway;
let gateway: GatewayProcess;
beforeAll(async () => {
  beside = await startTestGateway();
  gateway = await startGatewayProcess(beside);
});

test("GET /auth is answered while an upload of 400 MB is hashed", async () => {
  const { vehicle } = await startFlight(beside);
  const drone = droneClient(gateway.api, vehicle.ip);
  const request = { file_name: "a.bin", asset_type: "logs", checksum: null };
  const { asset_id, url } = (await drone.post("/authenticate_upload", request)).body;
  expect(await put(url, Buffer.alloc(400_000_000, "x"))).toBe(200);
  const other = gateway.api.as((await beside.newUser()).token);
  const began = performance.now();
  const { result, slowestMs, failed, answers } = await probeDuring(other, "/auth", () =>
    drone.post("/complete_upload", { asset_id }),
  );
  expect(result.status).toBe(200);
  expect(failed).toBe(0);
  expect(answers).toBeGreaterThan(5);
  // On the event loop, the hash alone would take more.
  expect(slowestMs).toBeLessThan((performance.now() - began) / 3);
}, 120_000);
