import { autopilots, isPx4 } from "../../../testing/autopilots/autopilot";
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
    const { api, droneId, witness } = vehicle;
    const begun = performance.now();
    const { status, body } = await api.get(`/drone/${droneId}/params?all=true`);
    const took = performance.now() - begun;
    expect(status).toBe(200);
    const { values } = await witness.params();
    const names = body.params.map(({ param_id }: { param_id: string }) => param_id);
    // PX4 keeps a checksum among them, which is no parameter.
    expect(names.toSorted()).toEqual(
      Object.keys(values)
        .filter((each) => each !== "_HASH_CHECK")
        .toSorted(),
    );
    const differing = body.params.filter(
      ({ param_id, value }: { param_id: string; value: number | null }) => {
        const read = values[param_id];
        // Statistics and counters go on meanwhile.
        if (/^STAT_|^SYS_|^COM_FLIGHT|^LND_FLIGHT|^MIS_TOTAL/.test(param_id)) return false;
        return typeof read === "number"
          ? Math.fround(read) !== Math.fround(value ?? Number.NaN)
          : value !== null;
      },
    );
    expect(differing).toEqual([]);
    const pulled = (await api.post(`/drone/${droneId}/params/pull`)).body;
    expect(pulled).toEqual({ success: true, param_received: names.length, param_total: names.length });
    console.info(`${name}: ${names.length} parameters in ${Math.round(took)} ms`);
    // The limit is of ArduPilot's own pace; PX4 sends them more slowly.
    if (!isPx4(name)) expect(took).toBeLessThan(LIMIT_MS);
  });
});
