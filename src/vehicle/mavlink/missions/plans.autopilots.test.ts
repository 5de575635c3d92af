import { distance } from "../../../domain/geo";
import { type AutopilotName, autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contradiction, customModeOf } from "../../../testing/autopilots/contradiction";
import { giveOrder } from "../../../testing/autopilots/orders";
import {
  contents,
  fieldOf,
  missionOnBoard,
  replaceOnBoard,
  storePlan,
} from "../../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState, ReceivedMessage } from "../../../testing/autopilots/witness";

jest.setTimeout(240_000);

interface Adjusted {
  readonly sequence: number;
  readonly field: string;
  readonly stored: number | null;
}

/** Commands of which autopilots are known to round, wrap or drop fields, and others of surveys. */
const COMMANDS = [16, 17, 18, 19, 21, 31, 82, 93, 112, 114, 115, 177, 178, 183, 195, 206, 4501];
/** Values that mean something in the command; ArduPilot packs them into a byte each. */
const OWN_PARAMS: Readonly<Record<number, object>> = {
  115: { param3: -1, param4: 1 },
  177: { param1: 2 },
  206: { param3: 1 },
};
const FRACTIONS = [
  { param1: 1.7, param2: 2.6, param3: 3.4, param4: 45 },
  { param1: 2, param2: 1, param3: -30.5, param4: -90 },
];
const REFUSED: Readonly<Record<AutopilotName, readonly number[]>> = {
  copter: [4501],
  rover: [4501],
  "px4-quad": [18, 82, 114, 115, 183, 4501],
  "px4-rover": [18, 82, 114, 115, 183, 4501],
  "px4-1.16-quad": [18, 82, 115, 183],
};

describe.each(autopilots)("%s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
  });
  afterAll(() => vehicle.stop());

  const store = (rows: Parameters<typeof storePlan>[2]) => storePlan(vehicle.api, home, rows);
  const push = (mission_id: number) => vehicle.order("push_mission", { mission_id });
  const survey = [{ command: 22 }, { north: 30 }, { north: 30, east: 30 }, { east: 30 }];

  test("a refused row is named, and the plan before it stays on board", async () => {
    expect(await push(await store(survey))).toMatchObject({ status: 200 });
    const before = await missionOnBoard(vehicle);
    const refused = await push(
      await store([{ command: 22 }, { north: 40 }, { north: 40, east: 40, command: 9999 }, { east: 40 }]),
    );
    expect(refused.status).toBe(500);
    expect(refused.body.error).toMatch(
      /^The mission was refused: row 3, command 9999 \(MAV_MISSION_UNSUPPORTED\)(: [^;]*)?; the plan that was on board is (restored|still there)$/,
    );
    // ArduPilot stores the rows before the refused one.
    expect(refused.body.error).toMatch(isPx4(name) ? /still there$/ : /restored$/);
    expect(refused.body.error).not.toMatch(/PreArm|Preflight/);
    expect(contents(await missionOnBoard(vehicle))).toEqual(contents(before));
  });

  test("the reply lists each field that the vehicle rounds or leaves out, as the witness reads it", async () => {
    const rows = isPx4(name)
      ? [
          { command: 22, param1: 15 },
          { north: 30, param4: -90, param3: 3 },
          { command: 178, param1: 1, param2: 4 },
          { command: 20 },
        ]
      : [
          { command: 22 },
          { north: 30, param1: 12.7, param4: 90, altitude: 20.126 },
          { north: 30, command: 18, param1: 0.3, param3: 263 },
          { north: 30, command: 18, param1: 2.5, param3: -30 },
          { command: 20 },
        ];
    const reply = await push(await store(rows));
    expect(reply).toMatchObject({ status: 200 });
    const { adjusted } = reply.body.result;
    const onBoard = await missionOnBoard(vehicle);
    const read = adjusted.map(({ sequence, field }: Adjusted) => fieldOf(onBoard[sequence - 1], field));
    expect(adjusted.map(({ stored }: Adjusted) => stored)).toEqual(read);
    const fields = adjusted.map(({ sequence, field }: Adjusted) => `${sequence} ${field}`);
    expect(fields).toEqual(
      isPx4(name)
        ? ["1 param1", "2 param3", "2 param4"]
        : ["2 param1", "2 param4", "2 altitude", "3 param1", "3 param3", "4 param1"],
    );
  });

  test.each(FRACTIONS)("each command is stored as the reply says, or refused: %j", async (params) => {
    const refused: number[] = [];
    for (const command of COMMANDS) {
      const own = { ...params, ...OWN_PARAMS[command] };
      const { status, body } = await push(
        await store([{ command: 22 }, { north: 10 }, { north: 20, command, ...own }]),
      );
      if (status !== 200) {
        expect(body.error).toMatch(new RegExp(`row 3, command ${command} \\(MAV_MISSION_`));
        refused.push(command);
        continue;
      }
      const row = (await missionOnBoard(vehicle))[2];
      const listed: Adjusted[] = body.result.adjusted.filter(({ sequence }: Adjusted) => sequence === 3);
      expect([command, listed.map(({ stored }) => stored)]).toEqual([
        command,
        listed.map(({ field }) => fieldOf(row, field)),
      ]);
      if (!listed.some(({ field }) => field === "command")) expect(row?.command).toBe(command);
    }
    expect(refused).toEqual(REFUSED[name]);
  });

  test("a camera's shot and a gimbal's angles keep the numbers in their positions' place", async () => {
    const shot = { command: 203, frame: 2, lat: 1e-7, lng: 0, altitude: 0 };
    const gimbal = { command: 205, frame: 2, param1: -30.5, lat: 0, lng: 0, altitude: 2 };
    const id = await store([{ command: 22 }, { north: 20 }, shot, gimbal]);
    expect(await push(id)).toMatchObject({ status: 200, body: { result: { adjusted: [] } } });
    const [, , shotOnBoard, gimbalOnBoard] = await missionOnBoard(vehicle);
    expect(shotOnBoard).toMatchObject({ command: 203, x: 1, y: 0 });
    expect(gimbalOnBoard).toMatchObject({ command: 205, param1: -30.5, z: 2 });
    if (isPx4(name)) return;
    const fraction = await push(await store([{ command: 22 }, { north: 20 }, { ...shot, param2: 2.6 }]));
    const adjusted = [{ sequence: 3, field: "param2", sent: Math.fround(2.6), stored: 2 }];
    expect(fraction).toMatchObject({ status: 200, body: { result: { adjusted } } });
  });

  test("a jump leads to its row, whichever way the vehicle counts", async () => {
    const rows = [{ north: 30 }, { north: 30, east: 30 }, { command: 177, param1: 2, param2: 2 }];
    const id = await store(rows);
    expect(await push(id)).toMatchObject({ status: 200 });
    const items = await vehicle.witness.plan(0);
    const jump = items.find(({ command }) => command === 177);
    const easternmost = items.toSorted((a, b) => Number(b.y) - Number(a.y))[0];
    expect(jump?.param1).toBe(easternmost?.seq);
    const { body } = await vehicle.api.get(`/drone/${vehicle.droneId}/onboard/mission?mission_id=${id}`);
    expect(body).toMatchObject({ same: true });
  });

  test("what is on board is compared with the stored mission, also after another ground station changed it", async () => {
    const rows = [
      { north: 30, param1: 12.7, param3: 3, altitude: 20.5 },
      { north: 30, east: 30, param4: null },
    ];
    const id = await store(rows);
    expect(await push(id)).toMatchObject({ status: 200 });
    const compared = async (mission_id: number) =>
      (await vehicle.api.get(`/drone/${vehicle.droneId}/onboard/mission?mission_id=${mission_id}`)).body;
    const same = { same: true, differences: [], missing: [], extra: [] };
    const onBoard = await compared(id);
    expect(onBoard).toMatchObject({ ...same, mission_id: id });
    expect(onBoard.items).toHaveLength((await missionOnBoard(vehicle)).length);
    const higher = await compared(await store([rows[0] ?? {}, { ...rows[1], altitude: 50 }]));
    expect(higher).toMatchObject({
      ...{ same: false, missing: [], extra: [] },
      differences: [{ sequence: 2, field: "altitude", stored: 50, on_board: 20 }],
    });
    await replaceOnBoard(vehicle, 0, (items) =>
      items.with(-2, { ...(items.at(-2) as ReceivedMessage), z: 35 }).slice(0, -1),
    );
    expect(await compared(id)).toMatchObject({
      ...{ state: "other", mission_id: null, same: false, missing: [2], extra: [] },
      differences: [{ sequence: 1, field: "altitude", on_board: 35 }],
    });
  });

  test("a yaw of null is the vehicle's choice", async () => {
    const id = await store([
      { command: 22, param4: null },
      { north: 30, param4: null },
    ]);
    expect((await vehicle.api.get(`/mission/${id}`)).body.mission_points[1].param4).toBeNull();
    expect(await push(id)).toMatchObject({ status: 200, body: { result: { adjusted: [] } } });
    const yaws = (await missionOnBoard(vehicle)).map(({ param4 }) => param4);
    expect(yaws).toEqual(isPx4(name) ? ["nan", "nan"] : [0, 0]);
  });

  if (!isRover(name)) {
    test("the takeoff that is added has no yaw", async () => {
      expect(await push(await store([{ north: 30 }]))).toMatchObject({
        status: 200,
        body: { result: { takeoff_added: true } },
      });
      const [takeoff] = await missionOnBoard(vehicle);
      expect(takeoff).toMatchObject({ command: 22, param4: isPx4(name) ? "nan" : 0 });
    });
  }

  if (isPx4(name)) {
    test("PX4 begins with the first item, of the same plan as of another", async () => {
      const id = await store(survey);
      for (const next of [id, id, await store([...survey, { north: 5 }])]) {
        expect(await push(next)).toMatchObject({ status: 200 });
        const at = await vehicle.witness.now();
        await vehicle.witness.until("MISSION_CURRENT", async () => {
          const heard = await vehicle.witness.since("MISSION_CURRENT", at);
          return heard.length > 2 && heard.slice(1).every(({ seq }) => seq === 0);
        });
        await vehicle.witness.setCurrent(2);
      }
    });
  }

  test("a mission is not started before arming, and nothing is changed", async () => {
    await push(await store(survey));
    const refused = await giveOrder(vehicle, "start_mission");
    expect(refused.status).toBe(500);
    expect(refused.message).toContain("is not armed");
    expect(refused.after.customMode).toBe(refused.before.customMode);
    expect(refused.beats.filter(({ armed }) => armed)).toEqual([]);
  });

  /** Takes off as its mission says, and flies it. */
  const flyMission = async () => {
    const { witness } = vehicle;
    await vehicle.carryOut("guided");
    await vehicle.carryOut("arm");
    await vehicle.carryOut("start_mission");
    if (!isRover(name)) {
      // At the end of its takeoff PX4 holds, and forgets a mode that was ordered in that moment.
      await witness.until("the end of the takeoff", async () => {
        const { relativeAltitude, customMode } = await witness.fresh();
        return relativeAltitude > 18 && customMode !== customModeOf(name, "AUTO.TAKEOFF");
      });
    }
    const since = await witness.now();
    await vehicle.carryOut("set_mode", { mode_info: { custom_mode: "AUTO" } });
    return since;
  };

  /** The number of the mission's last item, and the items that were reached, until that one is. */
  const lastItem = async () => (await missionOnBoard(vehicle)).length - (isPx4(name) ? 1 : 0);
  const reachedUntil = (last: number, since: number) =>
    vehicle.witness.until(
      "the end of the mission",
      async () => {
        const heard = await vehicle.witness.since("MISSION_ITEM_REACHED", since);
        const items = heard.map(({ seq }) => Number(seq));
        return items.includes(last) && items;
      },
      90,
    );

  test("a started mission is flown from its first waypoint to its last, twice", async () => {
    const { order } = vehicle;
    const rows = [{ command: 22 }, { north: 25 }, { north: 25, east: 15 }];
    await push(await store(isRover(name) ? rows.slice(1) : rows));
    const last = await lastItem();
    for (const _flight of [1, 2]) {
      const reached = await reachedUntil(last, await flyMission());
      expect([...new Set(reached)].filter((item) => item >= last - 1)).toEqual([last - 1, last]);
      if (isRover(name)) {
        await order("guided");
        await order("disarm_drone");
      } else await order("land");
      await vehicle.disarmed();
    }
  });

  test("arming after a finished mission does not fly it again", async () => {
    const { witness } = vehicle;
    const rows = [{ north: 15 }, { north: 15, east: 5 }];
    await push(
      await store(isRover(name) ? rows : [{ command: 22 }, { north: 15 }, { north: 15, command: 21 }]),
    );
    const last = await lastItem();
    const since = await flyMission();
    if (isRover(name)) {
      await reachedUntil(last, since);
      await vehicle.carryOut("disarm_drone");
    }
    await vehicle.disarmed();
    await witness.readyToArm();
    const again = await giveOrder(vehicle, "arm");
    expect(contradiction(again, name)).toBeUndefined();
    if (again.status !== 200) {
      expect(again.message).toMatch(/armed in AUTO.*sets off by itself/);
      await vehicle.carryOut("guided");
      expect((await giveOrder(vehicle, "arm")).status).toBe(200);
    }
    const start = await witness.fresh();
    const later = await witness.until("ten seconds later", async () => {
      const seen = await witness.fresh();
      return seen.clock > start.clock + 10 && seen;
    });
    expect(later.relativeAltitude).toBeLessThan(1);
    expect(distance(start, later)).toBeLessThan(2);
    await vehicle.order("disarm_drone");
    await vehicle.disarmed();
  });
});
