import { offsetBy } from "../../../domain/geo";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contradiction } from "../../../testing/autopilots/contradiction";
import { giveOrder } from "../../../testing/autopilots/orders";
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
    /** The vehicle whose link is bad while an order is carried out. */
    const disturbed = (): { readonly disturbedVehicle: TestedVehicle; readonly ms: () => number } => {
      let ms = 0;
      const order: TestedVehicle["order"] = async (path, body) => {
        const begun = performance.now();
        disturb(true);
        try {
          return await vehicle.order(path, body);
        } finally {
          disturb(false);
          ms = performance.now() - begun;
        }
      };
      return { disturbedVehicle: { ...vehicle, order }, ms: () => ms };
    };
    const obeyed = async (path: string, body: Record<string, unknown> = {}, limitMs = ORDER_LIMIT_MS) => {
      const { disturbedVehicle, ms } = disturbed();
      const given = await giveOrder(disturbedVehicle, path, body, (seen) => contradiction(seen, name));
      expect(contradiction(given, name)).toBeUndefined();
      expect([path, given.status, given.message]).toEqual([path, 200, expect.any(String)]);
      expect(ms()).toBeLessThan(limitMs);
    };

    test("plans are on board as the reply says", async () => {
      expect(await push(await store(6, 40))).toMatchObject({ status: 200 });
      const mission_id = await store(20, 50);
      const geofence_id = await storeFence(vehicle.api, home, "inclusion", square(200));
      await obeyed("push_mission", { mission_id }, TRANSFER_LIMIT_MS);
      await obeyed("push_geofence", { geofence_id }, TRANSFER_LIMIT_MS);
      expect(new Set((await missionOnBoard(vehicle)).map(({ z }) => z))).toEqual(new Set([50]));
      await obeyed("clear_fence", {}, TRANSFER_LIMIT_MS);
    });

    test("a refused plan is answered so, and the plan before it is on board", async () => {
      expect(await push(await store(6, 40))).toMatchObject({ status: 200 });
      const before = contents(await missionOnBoard(vehicle));
      const rows = [{ command: 22 }, { north: 40 }, { north: 40, east: 40, command: 9999 }, { east: 40 }];
      const { disturbedVehicle, ms } = disturbed();
      const refused = await disturbedVehicle.order("push_mission", {
        mission_id: await storePlan(vehicle.api, home, rows),
      });
      expect(refused.status).toBe(500);
      expect(refused.body.error).toMatch(/row 3, command 9999 .*(is restored|is still there)$/);
      expect(ms()).toBeLessThan(TRANSFER_LIMIT_MS);
      expect(contents(await missionOnBoard(vehicle))).toEqual(before);
    });

    test("orders are obeyed as the reply says", async () => {
      const { witness } = vehicle;
      const param_id = isPx4(name) ? "RTL_RETURN_ALT" : "FENCE_ALT_MAX";
      await obeyed("set_param", { param_id, value: (await witness.param(param_id)) + 5 });
      await obeyed("guided");
      await obeyed("arm");
      if (!isRover(name)) await obeyed("takeoff", { altitude: 10 });
      await obeyed("goto_gps_location", { ...offsetBy(home, 15, 0), altitude: isRover(name) ? 0 : 10 });
      await obeyed(isRover(name) ? "disarm_drone" : "land");
      await witness.until("that it is disarmed", async () => !(await witness.fresh()).armed, 90);
    });
  });
});
