import { GroundStation, planItem } from "../testing/fakes/ground-station";
import { startTestSimulator, type TestSimulator } from "../testing/worlds/simulator";
import { common, minimal, ParamError } from "../vehicle/mavlink/wire/messages";

const { MavMissionResult, MavMissionType } = common;
let simulator: TestSimulator;
let station: GroundStation;

beforeEach(async () => {
  simulator = await startTestSimulator([{ kind: "copter" }], 20);
  station = await GroundStation.connect(simulator.vehicle.port);
});
afterEach(async () => {
  await station.close();
  await simulator.stop();
});

const home = { x: 473_977_420, y: 85_455_940 };
const plan = [
  planItem({ frame: 0, x: 10, y: 10, z: 1 }),
  planItem({ command: 22, z: 20 }),
  planItem({ frame: 6, x: home.x + 4000, y: home.y, z: 20 }),
  planItem({ command: 20 }),
];
const at = { targetSystem: 1, targetComponent: 1 };

describe("a ground station", () => {
  test("gets the heartbeat of an ArduPilot quadrotor, and nothing else unasked", async () => {
    await station.next(minimal.Heartbeat, () => true, 0);
    const second = await station.next(minimal.Heartbeat);
    expect(second).toMatchObject({ type: 2, autopilot: 3, customMode: 0, baseMode: 81 });
    expect(station.all(common.GlobalPositionInt)).toEqual([]);
  });

  test("is served alone: a second one waits until the first has disconnected", async () => {
    await station.next(minimal.Heartbeat, () => true, 0);
    const second = await GroundStation.connect(simulator.vehicle.port);
    await station.next(minimal.Heartbeat);
    expect(second.received).toEqual([]);
    await station.close();
    await second.next(minimal.Heartbeat, () => true, 0);
    await second.close();
  });

  test("gets the message rates that the previous one set", async () => {
    expect(await station.stream(33, 20)).toBe(0);
    await station.next(common.GlobalPositionInt);
    await station.close();
    station = await GroundStation.connect(simulator.vehicle.port);
    await station.next(common.GlobalPositionInt, () => true, 0);
  });
});

describe("messages on request", () => {
  test("a request for an unknown message is denied", async () => {
    expect(await station.command(512, 11_999)).toBe(4);
    expect(await station.stream(11_999, 1)).toBe(2);
  });

  test("a timesync is answered with its own time stamp", async () => {
    station.send(common.TimeSync, { tc1: 0n, ts1: 12_345n });
    expect((await station.next(common.TimeSync)).ts1).toBe(12_345n);
  });

  test.each([1, 24, 27, 31, 33, 42, 49, 74, 87, 193, 242, 245])(
    "message %i is sent on request",
    async (id) => {
      expect(await station.command(512, id)).toBe(0);
      const ids = station.received.map((each) => (each.constructor as typeof common.Attitude).MSG_ID);
      expect(ids).toContain(id);
    },
  );
});

describe("parameters", () => {
  test("the list is complete, numbered and typed", async () => {
    station.send(common.ParamRequestList, at);
    await station.until(
      () => new Set(station.all(common.ParamValue).map(({ paramIndex }) => paramIndex)).size > 150,
      "the list",
    );
    await station.next(common.ParamValue, ({ paramIndex, paramCount }) => paramIndex === paramCount - 1, 0);
    const values = station.all(common.ParamValue);
    expect(values.length).toBe(values[0]!.paramCount);
    const types = new Map(values.map(({ paramId, paramType }) => [paramId, paramType]));
    expect(types.get("FENCE_ENABLE")).toBe(common.MavParamType.INT8);
    expect(types.get("WP_SPD")).toBe(common.MavParamType.REAL32);
  });

  test("a parameter read by name carries index 65535, one read by index that index", async () => {
    station.send(common.ParamRequestRead, { ...at, paramId: "WP_SPD", paramIndex: -1 });
    expect((await station.next(common.ParamValue)).paramIndex).toBe(65_535);
    station.send(common.ParamRequestRead, { ...at, paramId: "", paramIndex: 3 });
    expect((await station.next(common.ParamValue)).paramIndex).toBe(3);
  });

  test("a set is answered with the stored value", async () => {
    const answer = await station.param("RTL_CONE_SLOPE", 4);
    expect([answer.paramValue, answer.paramIndex]).toEqual([4, 65_535]);
    expect((await station.param("FENCE_ENABLE", 1.4)).paramValue).toBe(1);
  });

  test("an unknown parameter is answered with PARAM_ERROR", async () => {
    station.send(common.ParamRequestRead, { ...at, paramId: "WPNAV_SPEED", paramIndex: -1 });
    const { paramId, error } = await station.next(ParamError);
    expect([paramId, error]).toEqual(["WPNAV_SPEED", 1]);
  });
});

describe("plans", () => {
  test("items are requested with MISSION_REQUEST and read back as ArduPilot stores them", async () => {
    expect(await station.upload(plan)).toBe(MavMissionResult.ACCEPTED);
    expect(station.all(common.MissionRequest).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(station.all(common.MissionRequestInt)).toEqual([]);
    const [first, , waypoint, last] = await station.download();
    expect([first!.x, first!.y, first!.z, first!.frame]).toEqual([home.x, home.y, 488, 0]);
    expect(waypoint!.frame as number).toBe(3);
    expect([last!.command as number, last!.frame as number]).toEqual([20, 0]);
    expect(station.texts).toContain("Flight plan received");
  });

  test("a repeated item is rejected, and the transfer continues", async () => {
    station.send(common.MissionCount, { ...at, count: 2, missionType: MavMissionType.MISSION });
    await station.next(common.MissionRequest, ({ seq }) => seq === 0, 0);
    station.sendItem(plan[0]!, 0);
    await station.next(common.MissionRequest, ({ seq }) => seq === 1, 0);
    station.sendItem(plan[0]!, 0);
    expect((await station.next(common.MissionAck)).type).toBe(MavMissionResult.INVALID_SEQUENCE);
    station.sendItem(plan[1]!, 1);
    expect((await station.next(common.MissionAck)).type).toBe(MavMissionResult.ACCEPTED);
  });

  test("an item that does not arrive is requested again", async () => {
    station.send(common.MissionCount, { ...at, count: 2, missionType: MavMissionType.MISSION });
    await station.next(common.MissionRequest, () => true, 0);
    expect((await station.next(common.MissionRequest)).seq).toBe(0);
  });

  test("an unknown command ends the transfer with its result and a status text", async () => {
    const result = await station.upload([plan[0]!, planItem({ command: 31_010 })]);
    expect(result).toBe(MavMissionResult.UNSUPPORTED);
    await station.next(common.StatusText, ({ text }) => text === "Mission item 1 refused (3)", 0);
  });

  test("another station's upload is denied while one is under way", async () => {
    station.send(common.MissionCount, { ...at, count: 2, missionType: MavMissionType.MISSION });
    await station.next(common.MissionRequest, () => true, 0);
    station.send(common.MissionRequestList, { ...at, missionType: MavMissionType.MISSION });
    expect((await station.next(common.MissionAck)).type).toBe(MavMissionResult.DENIED);
  });

  test("a request beyond the end is answered with the true count and an error", async () => {
    await station.upload(plan);
    station.send(common.MissionRequestInt, { ...at, seq: 9, missionType: MavMissionType.MISSION });
    expect((await station.next(common.MissionAck)).type).toBe(MavMissionResult.ERROR);
    expect(station.all(common.MissionCount).at(-1)!.count).toBe(4);
  });

  test("a cleared plan is empty, home and all", async () => {
    await station.upload(plan);
    station.send(common.MissionClearAll, { ...at, missionType: MavMissionType.MISSION });
    expect((await station.next(common.MissionAck)).type).toBe(MavMissionResult.ACCEPTED);
    expect(await station.download()).toEqual([]);
  });

  test("an invalid fence is refused with a status text, and the old one stays", async () => {
    const circle = planItem({ command: 5003, frame: 0, param1: 200, ...home });
    expect(await station.upload([circle], MavMissionType.FENCE)).toBe(MavMissionResult.ACCEPTED);
    const broken = await station.upload([{ ...circle, param1: 0 }], MavMissionType.FENCE);
    expect(broken).toBe(MavMissionResult.ERROR);
    expect(station.texts).toContain("Non-positive circle radius");
    const [stored] = await station.download(MavMissionType.FENCE);
    expect([stored!.command as number, stored!.param1, stored!.z]).toEqual([5003, 200, 0]);
  });
});

describe("commands", () => {
  test("an unknown command is unsupported", async () => {
    expect(await station.command(31_014)).toBe(3);
  });

  test("a mode that does not exist, and AUTO without a plan, fail with a status text", async () => {
    expect(await station.setMode(99)).toBe(4);
    expect(await station.setMode(3)).toBe(4);
    // The estimator's own texts may come in between.
    const texts = station.texts.filter((text) => !text.startsWith("EKF3"));
    expect(texts).toEqual(["No such mode 99", "Mode change to AUTO failed: init failed"]);
  });

  test("a command to another system is ignored", async () => {
    station.send(common.CommandLong, { targetSystem: 9, command: 400 as common.MavCmd, _param1: 1 });
    expect(await station.command(512, 42)).toBe(0);
    expect(simulator.vehicle.state.armed).toBe(false);
  });

  test("a motor test reports armed motors, and ends by itself", async () => {
    expect(await station.command(209, 2, 0, 30, 1)).toBe(0);
    await station.next(common.StatusText, ({ text }) => text === "starting motor test", 0);
    await station.next(common.StatusText, ({ text }) => text === "finished motor test", 0);
  });
});

test("noise on the wire does not disturb what follows", async () => {
  station.sendBytes(Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 37) % 256)));
  const fields = { targetSystem: 1, targetComponent: 1, paramId: "WP_SPD", paramIndex: -1 };
  // Enough frames to complete whatever frame the noise seemed to begin.
  for (let count = 0; count < 30; count++) station.send(common.ParamRequestRead, fields);
  await station.until(() => station.all(common.ParamValue).length > 5, "answers");
});
