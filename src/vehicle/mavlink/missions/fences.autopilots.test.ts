import { offsetBy } from "../../../domain/geo";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contents, replaceOnBoard, square, storeFence, storePlan } from "../../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState, ReceivedMessage } from "../../../testing/autopilots/witness";

jest.setTimeout(240_000);

/** A fence that the vehicle acts on, and the parameters that make it so. */
const ENFORCED = {
  ardupilot: { FENCE_ACTION: 1, FENCE_TYPE: 6, FENCE_AUTOENABLE: 0, FENCE_ENABLE: 1 },
  px4: { GF_ACTION: 3 },
} as const;

/** MAV_SYS_STATUS_GEOFENCE. */
const GEOFENCE = 0x100000;

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

  if (!isPx4(name)) {
    test.each([1, 2, 3])(
      "FENCE_AUTOENABLE %i enables the fence of a flight when the reply says so",
      async (value) => {
        const { witness, carryOut } = vehicle;
        const around = await store("inclusion", square(300));
        const said = await enforcement({ FENCE_ENABLE: 0, FENCE_AUTOENABLE: value }, around);
        await carryOut("guided");
        await carryOut("arm");
        if (!isRover(name)) {
          await carryOut("takeoff", { altitude: 10 });
          await witness.until("the height", async () => (await witness.fresh()).relativeAltitude > 9.5);
        }
        const isEnabled = async () =>
          (Number((await witness.request("SYS_STATUS")).onboard_control_sensors_enabled) & GEOFENCE) !== 0;
        // ArduCopter enables it a moment after its takeoff.
        const enabled = await witness.until("the fence", isEnabled, 5).catch(() => false);
        expect(enabled).toBe(said);
        await carryOut(isRover(name) ? "disarm_drone" : "land");
        await vehicle.disarmed();
        await set(ENFORCED[autopilot]);
      },
    );
  }

  test("fence points with parameters of no meaning are taken", async () => {
    const corners = square(250).map((corner) => ({ ...corner, param2: 2, param3: 3, param4: 4 }));
    expect(await push(await store("inclusion", corners))).toMatchObject({ status: 200 });
  });

  test("what is on board is compared with a stored geofence, also after another ground station changed it", async () => {
    const [around, zone] = [await store("inclusion", square(300)), await store("exclusion", square(20, 150))];
    const compared = async (geofence_id: number) =>
      (await vehicle.api.get(`/drone/${vehicle.droneId}/onboard/fence?geofence_id=${geofence_id}`)).body;
    expect(await push(around)).toMatchObject({ status: 200 });
    const alone = { same: true, included: true, differences: [], missing: [], extra: [] };
    expect(await compared(around)).toMatchObject({
      ...{ ...alone, is_mixture: false, return_point: null },
      areas: [{ sequence: 1, type: "polygon", fence_type: "inclusion", radius: null }],
    });
    const apart = { same: false, included: false, differences: [], missing: [1, 2, 3, 4] };
    expect(await compared(zone)).toMatchObject({ ...apart, extra: [1] });
    for (const id of [around, zone])
      expect((await vehicle.api.patch(`/geofence/${id}`, { enabled: true })).status).toBe(200);
    expect(await vehicle.order("sync_geofences")).toMatchObject({ status: 200 });
    const [first, second] = [await compared(around), await compared(zone)];
    for (const one of [first, second])
      expect(one).toMatchObject({ same: false, included: true, missing: [] });
    expect([...first.extra, ...second.extra].sort()).toEqual([1, 2]);
    for (const id of [around, zone]) await vehicle.api.patch(`/geofence/${id}`, { enabled: false });
    expect(await push(around)).toMatchObject({ status: 200 });
    await replaceOnBoard(vehicle, 1, (items) =>
      items.with(2, { ...(items[2] as ReceivedMessage), x: Number(items[2]?.x) + 1e4 }),
    );
    const { differences, ...changed } = await compared(around);
    expect(changed).toMatchObject({ same: false, included: false, missing: [], extra: [] });
    expect(differences).toMatchObject([{ sequence: 3, field: "lat" }]);
    const [{ stored, on_board }] = differences;
    expect(on_board - stored).toBeCloseTo(0.001, 7);
  });

  test("a refused fence is named by its row, and the fence before it stays", async () => {
    await push(await store("inclusion", square(200)));
    const before = contents(await vehicle.witness.plan(1));
    const corners = square(150).map((corner, at) => (at === 2 ? { ...corner, frame: 99 } : corner));
    const refused = await push(await store("inclusion", corners));
    expect(refused.status).toBe(500);
    expect(refused.body.error).toMatch(
      /refused: row 3 of the geofence "[^"]+", command 5001 \(MAV_MISSION_UNSUPPORTED_FRAME\).*; the fence that was on board is still there$/,
    );
    expect(refused.body.error).not.toMatch(/PreArm|Preflight/);
    expect(contents(await vehicle.witness.plan(1))).toEqual(before);
  });

  /** What the vehicle says of its plans until two seconds of its clock after an order, and the reply. */
  const heardOf = async (path: string, body: Record<string, unknown>) => {
    const { witness, order } = vehicle;
    const since = await witness.now();
    const reply = await order(path, body);
    const { clock } = await witness.fresh();
    await witness.until("two seconds later", async () => (await witness.fresh()).clock > clock + 2);
    const texts = (await witness.texts(since)).map((text) => text.trim());
    return {
      reply,
      // "IGN": PX4 has taken an item before, which was sent again because its answer was late.
      texts: texts.filter(
        (text) => /fence|mission|waypoint/i.test(text) && !/Indexed OK|^PreArm|^IGN MISSION_ITEM/.test(text),
      ),
    };
  };

  test("PX4's word on a fence that home is outside of is believed", async () => {
    const { reply, texts } = await heardOf("push_geofence", {
      geofence_id: await store("inclusion", square(50, 400)),
    });
    expect(reply).toMatchObject({ status: 200 });
    const { warnings, enforcement: said } = reply.body.result;
    expect(warnings).toEqual(texts);
    expect(said.active).toBe(!isPx4(name));
    if (isPx4(name)) expect(reply.body.message).toContain("Geofence invalid");
  });

  test.each([
    ["through a forbidden zone", "exclusion", square(20, 60), 60],
    ["out of the fence", "inclusion", square(80), 120],
  ] as const)("a mission %s is answered with the vehicle's own words", async (_way, kind, corners, north) => {
    await push(await store(kind, corners));
    const rows = [{ command: 22 }, { north: 10 }, { north }];
    const mission_id = await storePlan(vehicle.api, home, isRover(name) ? rows.slice(1) : rows);
    const { reply, texts } = await heardOf("push_mission", { mission_id });
    expect(reply).toMatchObject({ status: 200, body: { result: { warnings: texts } } });
    // ArduPilot does not compare them.
    expect(texts).toEqual(isPx4(name) ? [`Geofence violation for waypoint ${isRover(name) ? 2 : 3}`] : []);
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
    if (isPx4(name) || !isRover(name)) {
      const outside = { ...offsetBy(home, 350, 0), altitude: 12 };
      const { status, body } = await order("goto_gps_location", outside);
      // ArduPilot gives no reason.
      expect([status, body.error]).toEqual([500, expect.stringMatching(isPx4(name) ? /fence/i : /FAILED/)]);
      expect((await witness.fresh()).customMode).toBe(before.customMode);
    }
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
