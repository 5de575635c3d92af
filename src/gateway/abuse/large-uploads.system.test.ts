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

test("an upload of 400 MB is hashed beside the event loop, which answers others meanwhile", async () => {
  const { vehicle } = await startFlight(beside);
  const drone = droneClient(gateway.api, vehicle.ip);
  const request = { file_name: "a.bin", asset_type: "logs", checksum: null };
  const { asset_id, url } = (await drone.post("/authenticate_upload", request)).body;
  expect(await put(url, Buffer.alloc(400_000_000, "x"))).toBe(200);
  const other = gateway.api.as((await beside.newUser()).token);
  const before = gateway.cpuTicks();
  const { result, failed, answers } = await probeDuring(other, "/auth", () =>
    drone.post("/complete_upload", { asset_id }),
  );
  const { main, all } = gateway.cpuTicks();
  expect(result.status).toBe(200);
  expect(failed).toBe(0);
  expect(answers).toBeGreaterThan(5);
  expect(main - before.main).toBeLessThan((all - before.all) / 3);
}, 120_000);
