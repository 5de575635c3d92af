import { offsetBy } from "../../../domain/geo";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { BAD_LINKS, BadLink, ORDER_LIMIT_MS } from "../../../testing/autopilots/bad-link";
import { storePlan } from "../../../testing/autopilots/plans";
import { prepareStates } from "../../../testing/autopilots/states";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../../testing/autopilots/witness";

jest.setTimeout(400_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
    // Orders on a bad link come late: it stays armed.
    await prepareStates(vehicle);
  });
  afterAll(() => vehicle.stop());

  describe.each(BAD_LINKS)("with %s", (_, disturb) => {
    let link: BadLink;
    beforeAll(() => {
      link = new BadLink(vehicle, disturb);
    });

    test("orders are obeyed as the reply says", async () => {
      const { witness } = vehicle;
      const [first, second]: readonly [string, string] = isPx4(name)
        ? ["RTL_RETURN_ALT", "RTL_DESCEND_ALT"]
        : ["FENCE_ALT_MAX", "FENCE_RADIUS"];
      const value = (await witness.param(first)) + 5;
      await link.obeyed("set_param", { param_id: first, value });
      const params = { [first]: value + 5, [second]: (await witness.param(second)) + 5 };
      await link.obeyed("set_params", { params });
      await link.obeyed("guided");
      await link.obeyed("arm");
      if (!isRover(name)) await link.obeyed("takeoff", { altitude: 10 });
      await link.obeyed("goto_gps_location", { ...offsetBy(home, 15, 0), altitude: isRover(name) ? 0 : 10 });
      await link.obeyed("move", { x: 20, y: -10, z: isRover(name) ? 0 : 12 });
      const mode = isPx4(name) ? "AUTO.LOITER" : isRover(name) ? "HOLD" : "LOITER";
      await link.obeyed("set_mode", { mode_info: { custom_mode: mode } });
      await link.obeyed("rtl");
      if (isRover(name)) await link.obeyed("guided");
      await link.obeyed(isRover(name) ? "disarm_drone" : "land");
      await vehicle.disarmed();
    });

    test("a mission is started as the reply says", async () => {
      const rows = Array.from({ length: 6 }, (_, at) => ({ north: 5 * at, east: 10, altitude: 20 }));
      const plan = isRover(name) ? rows : [{ command: 22, altitude: 20 }, ...rows];
      await vehicle.carryOut("push_mission", { mission_id: await storePlan(vehicle.api, home, plan) });
      await vehicle.witness.readyToArm();
      await link.obeyed("guided");
      await link.obeyed("arm");
      await link.obeyed("start_mission", isRover(name) ? {} : { takeoff_altitude: 10 });
      await link.obeyed("guided");
      await link.obeyed(isRover(name) ? "disarm_drone" : "land");
      await vehicle.disarmed();
    });

    test("a motor is tested once, or the outcome is unknown", async () => {
      await link.obeyed("guided");
      const { result, ms } = await link.during(() =>
        vehicle.order("motortest", { motor_id: 1, percentage: 5 }),
      );
      if (result.status !== 200) expect(result.body.error).toMatch(/may have obeyed or not/);
      expect(ms).toBeLessThan(ORDER_LIMIT_MS);
      await vehicle.disarmed();
    });
  });
});
