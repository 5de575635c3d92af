import { autopilots, isRover } from "../../../testing/autopilots/autopilot";
import { BAD_LINKS, BadLink, TRANSFER_LIMIT_MS } from "../../../testing/autopilots/bad-link";
import { expectAllParams } from "../../../testing/autopilots/parameters";
import { contents, missionOnBoard, square, storeFence, storePlan } from "../../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../../testing/autopilots/witness";

jest.setTimeout(400_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
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

  describe.each(BAD_LINKS)("with %s", (_, disturb) => {
    let link: BadLink;
    beforeAll(() => {
      link = new BadLink(vehicle, disturb);
    });

    test("plans are on board as the reply says", async () => {
      expect(await push(await store(6, 40))).toMatchObject({ status: 200 });
      const mission_id = await store(20, 50);
      const geofence_id = await storeFence(vehicle.api, home, "inclusion", square(200));
      await link.obeyed("push_mission", { mission_id }, TRANSFER_LIMIT_MS);
      await link.obeyed("push_geofence", { geofence_id }, TRANSFER_LIMIT_MS);
      expect(new Set((await missionOnBoard(vehicle)).map(({ z }) => z))).toEqual(new Set([50]));
      const read = await link.during(() => vehicle.api.get(`/drone/${vehicle.droneId}/mission`));
      expect(read.result).toMatchObject({ status: 200, body: { state: "verified", mission_id } });
      expect(read.ms).toBeLessThan(TRANSFER_LIMIT_MS);
      await link.obeyed("clear_fence", {}, TRANSFER_LIMIT_MS);
      await link.obeyed("sync_geofences", {}, TRANSFER_LIMIT_MS);
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
        await link.give(
          "push_mission",
          { mission_id: await storePlan(vehicle.api, home, rows) },
          TRANSFER_LIMIT_MS,
        ),
        await link.give(
          "push_geofence",
          { geofence_id: await storeFence(vehicle.api, home, "inclusion", corners) },
          TRANSFER_LIMIT_MS,
        ),
      ];
      for (const { status, message } of refused) {
        expect(status).toBe(500);
        // The vehicle refuses once: when that frame is lost, it has just stopped asking.
        expect(message).toMatch(
          /(row 3\b.*, command (9999|5001) .*|stopped asking for the \w+ after item \d of \d; .*)(is restored|is still there)"/,
        );
      }
      expect(await onBoard()).toEqual(before);
    });

    test("all parameters are read with their values", async () => {
      const { result, ms } = await link.during(() =>
        vehicle.api.get(`/drone/${vehicle.droneId}/params?all=true`),
      );
      expect(ms).toBeLessThan(TRANSFER_LIMIT_MS);
      await expectAllParams(vehicle, result);
    });
  });
});
