import { startTestGateway } from "../../testing/worlds/start-gateway";
import { droneClient } from "../../testing/worlds/uploads";

test("a drone begins as many executions a day as its quota allows; the one in progress is returned and not counted", async () => {
  const gateway = await startTestGateway({ QUOTA_EXECUTIONS: "2" });
  const newDrone = async () => {
    const { api } = await gateway.newUser();
    const sitl = { type: "sitl", name: "Copter", vehicle_type: "copter" };
    return droneClient(gateway.api, (await api.post("/drone", sitl)).body.ip);
  };
  const drone = await newDrone();
  const start = () => drone.post("/executions/start", {});
  for (let n = 0; n < 2; n++) {
    const { id } = (await start()).body;
    for (let again = 0; again < 3; again++)
      expect(await start()).toMatchObject({ status: 200, body: { id } });
    await drone.post(`/executions/${id}/complete`, { status: "completed" });
  }
  expect(await start()).toMatchObject({
    status: 429,
    body: { success: false, error: { code: 429, message: expect.stringContaining("quota executions") } },
  });
  expect(await (await newDrone()).post("/executions/start", {})).toMatchObject({ status: 200 });
});
