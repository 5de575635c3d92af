import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { type Flown, flown } from "../../../testing/autopilots/flown";
import { missionOnBoard, square, storeFence, storePlan } from "../../../testing/autopilots/plans";
import type { Seen } from "../../../testing/autopilots/witness";

jest.setTimeout(240_000);

describe.each(autopilots)("%s", (name) => {
  let vehicle: Flown;
  let home: Seen;
  beforeAll(async () => {
    vehicle = await flown(name);
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
  const altitudes = async () => new Set((await missionOnBoard(vehicle)).map(({ z }) => z));

  test("of two missions at once one waits for the other, and one of them is on board whole", async () => {
    const ids = await Promise.all([store(5, 20), store(8, 30)]);
    const replies = await Promise.all(ids.map(push));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const onBoard = await missionOnBoard(vehicle);
    const heights = new Set(onBoard.map(({ z }) => z));
    expect(heights.size).toBe(1);
    const [first, second] = replies.map(({ body }) => body.result.items);
    expect(onBoard).toHaveLength(heights.has(20) ? first : second);
  });

  test.each<[string, (on: boolean) => void]>([
    ["5 % of the frames lost", (on) => vehicle.autopilot.loss(on ? 5 : 0)],
    ["250 ms of delay each way", (on) => vehicle.autopilot.delay(on ? 250 : 0)],
  ])("with %s a reply says what the witness then reads", async (_, disturb) => {
    const old = await store(6, 40);
    const mission_id = await store(10, 50);
    const geofence_id = await storeFence(vehicle.api, home, "inclusion", square(200));
    expect(await push(old)).toMatchObject({ status: 200 });
    disturb(true);
    try {
      const mission = await push(mission_id);
      const fence = await vehicle.order("push_geofence", { geofence_id });
      disturb(false);
      expect([mission.status, mission.body.error]).toEqual([200, undefined]);
      expect([fence.status, fence.body.error]).toEqual([200, undefined]);
    } finally {
      disturb(false);
    }
    expect(await altitudes()).toEqual(new Set([50]));
    expect(await vehicle.witness.plan(1)).toHaveLength(4);
    expect(isPx4(name) || (await vehicle.witness.plan(0)).length > 10).toBe(true);
  });
});
