import { autopilots, isPx4 } from "../../../testing/autopilots/autopilot";
import { expectAllParams } from "../../../testing/autopilots/parameters";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";

jest.setTimeout(240_000);

const LIMIT_MS = 3_000;

describe.each(autopilots)("all parameters of a %s", (name) => {
  let vehicle: TestedVehicle;
  beforeAll(async () => {
    vehicle = await startVehicle(name, { speed: 1 });
  });
  afterAll(() => vehicle.stop());

  test("come in one call with the values that the witness reads", async () => {
    const { api, droneId } = vehicle;
    const begun = performance.now();
    const reply = await api.get(`/drone/${droneId}/params?all=true`);
    const took = performance.now() - begun;
    const count = await expectAllParams(vehicle, reply);
    const pulled = (await api.post(`/drone/${droneId}/params/pull`)).body;
    expect(pulled).toEqual({ success: true, param_received: count, param_total: count });
    console.info(`${name}: ${count} parameters in ${Math.round(took)} ms`);
    // The limit is of ArduPilot's own pace; PX4 sends them more slowly.
    if (!isPx4(name)) expect(took).toBeLessThan(LIMIT_MS);
  });
});
