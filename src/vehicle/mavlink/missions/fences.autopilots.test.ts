import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contents, square, storeFence, storePlan } from "../../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../../testing/autopilots/witness";

jest.setTimeout(240_000);

/** A fence that the vehicle acts on, and the parameters that make it so. */
const ENFORCED = {
  ardupilot: { FENCE_ACTION: 1, FENCE_TYPE: 6, FENCE_AUTOENABLE: 0, FENCE_ENABLE: 1 },
  px4: { GF_ACTION: 3 },
} as const;

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  const autopilot = isPx4(name) ? "px4" : "ardupilot";
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
    await set(ENFORCED[autopilot]);
  });
  afterAll(() => vehicle.stop());

  const set = async (params: Readonly<Record<string, number>>) => {
    for (const [param, value] of Object.entries(params)) await vehicle.witness.setParam(param, value);
  };
  const store = (kind: "inclusion" | "exclusion", corners: Parameters<typeof storeFence>[3]) =>
    storeFence(vehicle.api, home, kind, corners);
  const push = (geofence_id: number, more = {}) => vehicle.order("push_geofence", { geofence_id, ...more });
  const enforcement = async (params: Readonly<Record<string, number>>, geofence_id: number) => {
    await set(params);
    const reply = await push(geofence_id);
    expect(reply).toMatchObject({ status: 200 });
    return reply.body.result.enforcement.active;
  };

  test("a fence is active when the vehicle says so", async () => {
    const around = await store("inclusion", square(300));
    if (isPx4(name)) {
      expect(await enforcement({ GF_ACTION: 1 }, around)).toBe(false);
      expect(await enforcement({ GF_ACTION: 0 }, around)).toBe(false);
      expect(await enforcement({ GF_ACTION: 2 }, around)).toBe(true);
    } else {
      expect(await enforcement({ FENCE_ENABLE: 0 }, around)).toBe(false);
      expect(await enforcement({ FENCE_AUTOENABLE: 3 }, around)).toBe(true);
      expect(await enforcement({ FENCE_AUTOENABLE: 0, FENCE_ENABLE: 1 }, around)).toBe(true);
      expect(await enforcement({ FENCE_ACTION: 0 }, around)).toBe(false);
    }
    await set(ENFORCED[autopilot]);
    expect(await vehicle.witness.plan(1)).toHaveLength(4);
  });

  test("fence points with parameters of no meaning are taken", async () => {
    const corners = square(250).map((corner) => ({ ...corner, param2: 2, param3: 3, param4: 4 }));
    expect(await push(await store("inclusion", corners))).toMatchObject({ status: 200 });
  });

  test("a refused fence is named by its row, and the fence before it stays", async () => {
    await push(await store("inclusion", square(200)));
    const before = contents(await vehicle.witness.plan(1));
    const corners = square(150).map((corner, at) => (at === 2 ? { ...corner, frame: 99 } : corner));
    const refused = await push(await store("inclusion", corners));
    if (refused.status === 200) {
      // PX4 looks at the frame of no fence point.
      expect(isPx4(name)).toBe(true);
      return;
    }
    expect(refused.status).toBe(500);
    expect(refused.body.error).toMatch(/refused.*the fence that was on board is (restored|still there)$/);
    expect(refused.body.error).not.toMatch(/PreArm|Preflight/);
    expect(contents(await vehicle.witness.plan(1))).toEqual(before);
  });

  test("PX4's word on a fence that home is outside of is believed", async () => {
    const since = await vehicle.witness.now();
    const reply = await push(await store("inclusion", square(50, 400)));
    const texts = (await vehicle.witness.texts(since)).filter(
      (text) => /fence/i.test(text) && text !== "Fence Indexed OK",
    );
    expect(reply).toMatchObject({ status: 200 });
    const { warnings, enforcement: said } = reply.body.result;
    expect(warnings).toEqual(texts.map((text) => text.trim()));
    if (texts.length > 0) {
      expect(said.active).toBe(false);
      expect(reply.body.message).toContain(warnings[0]);
    }
  });

  test("a mission through a forbidden zone is answered with the vehicle's own words", async () => {
    await push(await store("exclusion", square(20, 60)));
    const rows = [{ command: 22 }, { north: 60 }, { north: 120 }];
    const mission_id = await storePlan(vehicle.api, home, isRover(name) ? rows.slice(1) : rows);
    const since = await vehicle.witness.now();
    const reply = await vehicle.order("push_mission", { mission_id });
    const texts = (await vehicle.witness.texts(since)).filter((text) => /fence|mission|waypoint/i.test(text));
    if (reply.status === 200 && texts.some((text) => /violat|reject|invalid/i.test(text)))
      expect(reply.body.result.warnings).not.toEqual([]);
    else if (reply.status !== 200) expect(reply).toMatchObject({ status: 500 });
  });

  test("an armed vehicle outside of a fence takes it by force only", async () => {
    const { witness, order } = vehicle;
    await order("clear_fence");
    await order("guided");
    expect(await order("arm")).toMatchObject({ status: 200 });
    if (!isRover(name)) {
      expect(await order("takeoff", { altitude: 10 })).toMatchObject({ status: 200 });
      await witness.until("9 m of height", async () => (await witness.fresh()).relativeAltitude > 9);
    }
    const elsewhere = await store("inclusion", square(50, 400));
    const refused = await push(elsewhere);
    expect(refused.status).toBe(500);
    expect(refused.body.error).toContain("force");
    expect(await witness.plan(1)).toEqual([]);
    expect(await push(await store("inclusion", square(300)))).toMatchObject({ status: 200 });
    const before = await witness.fresh();
    expect(await push(elsewhere, { force: true })).toMatchObject({ status: 200 });
    if (autopilot === "ardupilot" && !isRover(name))
      await witness.until(
        "the failsafe",
        async () => (await witness.fresh()).customMode !== before.customMode,
        20,
      );
    await order("clear_fence");
  });
});
