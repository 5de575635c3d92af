import { offsetBy } from "../../../domain/geo";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contradiction } from "../../../testing/autopilots/contradiction";
import { giveOrder } from "../../../testing/autopilots/orders";
import { expectAllParams } from "../../../testing/autopilots/parameters";
import { contents, missionOnBoard, square, storeFence, storePlan } from "../../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../../testing/autopilots/witness";

jest.setTimeout(400_000);

/** Two exchanges of an order, each at its longest. */
const ORDER_LIMIT_MS = 12_000;
/** A plan down, up and back, and one in its place when it is refused. */
const TRANSFER_LIMIT_MS = 60_000;

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
    // Orders on a bad link come late.
    await vehicle.witness.setParam(isPx4(name) ? "COM_DISARM_PRFLT" : "DISARM_DELAY", isPx4(name) ? -1 : 0);
  });
  afterAll(() => vehicle.stop());

  /** A mission of so many waypoints, which its altitude tells from others. */
  const store = (waypoints: number, altitude: number) =>
    storePlan(vehicle.api, home, [
      ...(isRover(name) ? [] : [{ command: 22, altitude }]),
      ...Array.from({ length: waypoints }, (_, at) => ({ north: 5 * at, east: 10, altitude })),
    ]);
  const push = (mission_id: number) => vehicle.order("push_mission", { mission_id });

  test("of two missions at once one waits for the other, and one of them is on board whole", async () => {
    const ids = await Promise.all([store(5, 20), store(8, 30)]);
    const replies = await Promise.all(ids.map(push));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const onBoard = await missionOnBoard(vehicle);
    const heights = new Set(onBoard.map(({ z }) => z));
    expect(heights.size).toBe(1);
    const at = heights.has(20) ? 0 : 1;
    expect(onBoard).toHaveLength(replies[at]?.body.result.items);
    const { body } = await vehicle.api.get(`/drone/${vehicle.droneId}/mission`);
    expect(body).toMatchObject({ state: "verified", mission_id: ids[at] });
  });

  test("a mission and a fence at once are both on board whole", async () => {
    const [mission_id, geofence_id] = await Promise.all([
      store(7, 25),
      storeFence(vehicle.api, home, "inclusion", square(180)),
    ]);
    const replies = await Promise.all([push(mission_id), vehicle.order("push_geofence", { geofence_id })]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set((await missionOnBoard(vehicle)).map(({ z }) => z))).toEqual(new Set([25]));
    expect(await vehicle.witness.plan(1)).toHaveLength(4);
  });

  describe.each<[string, (on: boolean) => void]>([
    ["5 % of the frames lost each way", (on) => vehicle.autopilot.loss(on ? 5 : 0)],
    ["250 ms of delay each way", (on) => vehicle.autopilot.delay(on ? 250 : 0)],
  ])("with %s", (_, disturb) => {
    /** What the work returns that is done while the link is bad, and how long it took. */
    const onBadLink = async <T>(work: () => Promise<T>): Promise<{ is: T; ms: number }> => {
      const begun = performance.now();
      disturb(true);
      try {
        return { is: await work(), ms: performance.now() - begun };
      } finally {
        disturb(false);
      }
    };
    /** An order on the bad link, which must end in time and which the vehicle must not contradict. */
    const given = async (path: string, body: Record<string, unknown>, limitMs: number) => {
      let took = 0;
      const order: TestedVehicle["order"] = async (...ordered) => {
        const { is, ms } = await onBadLink(() => vehicle.order(...ordered));
        took = ms;
        return is;
      };
      const seen = await giveOrder({ ...vehicle, order }, path, body, (each) => contradiction(each, name));
      expect(contradiction(seen, name)).toBeUndefined();
      expect(took).toBeLessThan(limitMs);
      return seen;
    };
    const obeyed = async (path: string, body: Record<string, unknown> = {}, limitMs = ORDER_LIMIT_MS) => {
      const { status, message } = await given(path, body, limitMs);
      expect([path, status, message]).toEqual([path, 200, expect.any(String)]);
    };
    const disarmed = () =>
      vehicle.witness.until("that it is disarmed", async () => !(await vehicle.witness.fresh()).armed, 90);

    test("plans are on board as the reply says", async () => {
      expect(await push(await store(6, 40))).toMatchObject({ status: 200 });
      const mission_id = await store(20, 50);
      const geofence_id = await storeFence(vehicle.api, home, "inclusion", square(200));
      await obeyed("push_mission", { mission_id }, TRANSFER_LIMIT_MS);
      await obeyed("push_geofence", { geofence_id }, TRANSFER_LIMIT_MS);
      expect(new Set((await missionOnBoard(vehicle)).map(({ z }) => z))).toEqual(new Set([50]));
      const read = await onBadLink(() => vehicle.api.get(`/drone/${vehicle.droneId}/mission`));
      expect(read.is).toMatchObject({ status: 200, body: { state: "verified", mission_id } });
      expect(read.ms).toBeLessThan(TRANSFER_LIMIT_MS);
      await obeyed("clear_fence", {}, TRANSFER_LIMIT_MS);
      await obeyed("sync_geofences", {}, TRANSFER_LIMIT_MS);
    });

    test("a refused plan is answered so, and the plan before it is on board", async () => {
      expect(await push(await store(6, 40))).toMatchObject({ status: 200 });
      const geofence_id = await storeFence(vehicle.api, home, "inclusion", square(150));
      expect(await vehicle.order("push_geofence", { geofence_id })).toMatchObject({ status: 200 });
      const onBoard = async () => [
        contents(await missionOnBoard(vehicle)),
        contents(await vehicle.witness.plan(1)),
      ];
      const before = await onBoard();
      const rows = [{ command: 22 }, { north: 40 }, { north: 40, east: 40, command: 9999 }, { east: 40 }];
      const corners = square(140).map((corner, at) => (at === 2 ? { ...corner, frame: 99 } : corner));
      const refused = [
        await given(
          "push_mission",
          { mission_id: await storePlan(vehicle.api, home, rows) },
          TRANSFER_LIMIT_MS,
        ),
        await given(
          "push_geofence",
          { geofence_id: await storeFence(vehicle.api, home, "inclusion", corners) },
          TRANSFER_LIMIT_MS,
        ),
      ];
      for (const { status, message } of refused) {
        expect(status).toBe(500);
        expect(message).toMatch(/row 3\b.*, command (9999|5001) .*(is restored|is still there)"/);
      }
      expect(await onBoard()).toEqual(before);
    });

    test("all parameters are read with their values", async () => {
      const { is, ms } = await onBadLink(() => vehicle.api.get(`/drone/${vehicle.droneId}/params?all=true`));
      expect(ms).toBeLessThan(TRANSFER_LIMIT_MS);
      await expectAllParams(vehicle, is);
    });

    test("orders are obeyed as the reply says", async () => {
      const { witness } = vehicle;
      const [first, second]: readonly [string, string] = isPx4(name)
        ? ["RTL_RETURN_ALT", "RTL_DESCEND_ALT"]
        : ["FENCE_ALT_MAX", "FENCE_RADIUS"];
      const value = (await witness.param(first)) + 5;
      await obeyed("set_param", { param_id: first, value });
      const params = { [first]: value + 5, [second]: (await witness.param(second)) + 5 };
      await obeyed("set_params", { params });
      await obeyed("guided");
      await obeyed("arm");
      if (!isRover(name)) await obeyed("takeoff", { altitude: 10 });
      await obeyed("goto_gps_location", { ...offsetBy(home, 15, 0), altitude: isRover(name) ? 0 : 10 });
      await obeyed("move", { x: 20, y: -10, z: isRover(name) ? 0 : 12 });
      const mode = isPx4(name) ? "AUTO.LOITER" : isRover(name) ? "HOLD" : "LOITER";
      await obeyed("set_mode", { mode_info: { custom_mode: mode } });
      await obeyed("rtl");
      if (isRover(name)) await obeyed("guided");
      await obeyed(isRover(name) ? "disarm_drone" : "land");
      await disarmed();
    });

    test("a motor is tested once, or the outcome is unknown", async () => {
      await obeyed("guided");
      const { is, ms } = await onBadLink(() => vehicle.order("motortest", { motor_id: 1, percentage: 5 }));
      if (is.status !== 200) expect(is.body.error).toMatch(/may have obeyed or not/);
      expect(ms).toBeLessThan(ORDER_LIMIT_MS);
      await disarmed();
    });

    test("a mission is started as the reply says", async () => {
      expect(await push(await store(6, 20))).toMatchObject({ status: 200 });
      await vehicle.witness.readyToArm();
      await obeyed("guided");
      await obeyed("arm");
      await obeyed("start_mission", isRover(name) ? {} : { takeoff_altitude: 10 });
      await obeyed("guided");
      await obeyed(isRover(name) ? "disarm_drone" : "land");
      await disarmed();
    });
  });
});
