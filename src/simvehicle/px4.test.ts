import { GroundStation, planItem, px4Integer } from "../testing/fakes/ground-station";
import { startTestSimulator, type TestSimulator, type TestVehicle } from "../testing/worlds/simulator";
import { common, Event, minimal, ParamError } from "../vehicle/mavlink/wire/messages";
import { px4Mode } from "./modes";

const home = { lat: 47.397742, lng: 8.545594, altitude: 488 };
const at = { targetSystem: 1, targetComponent: 1 };
let simulator: TestSimulator;
let station: GroundStation;
let vehicle: TestVehicle;

beforeEach(async () => {
  simulator = await startTestSimulator([{ kind: "copter", autopilot: "px4", home }], 20);
  vehicle = simulator.vehicle;
  station = await GroundStation.connect(vehicle.port);
});
afterEach(async () => {
  await station.close();
  await simulator.stop();
});

const until = (holds: (state: TestVehicle["state"]) => boolean, what: string) =>
  station.until(() => holds(vehicle.state), what);
const plan = [
  planItem({ command: 22, frame: 6, x: 473_977_420, y: 85_455_940, z: 10, param4: Number.NaN }),
  planItem({ frame: 6, x: 473_979_420, y: 85_455_940, z: 12.345, param1: 1, param2: 3 }),
];

test("PX4 shows itself by its heartbeat, streams unasked, and has bytewise parameters", async () => {
  const heartbeat = await station.next(minimal.Heartbeat, () => true, 0);
  expect([heartbeat.autopilot as number, heartbeat.customMode]).toEqual([12, px4Mode(4, 3)]);
  await station.next(common.GlobalPositionInt, () => true, 0);
  await station.next(common.EstimatorStatus, () => true, 0);
});

test("an integer parameter travels as bytes, and its type must be right", async () => {
  const answer = await station.param("GF_ACTION", px4Integer(3), common.MavParamType.INT32);
  expect(answer.paramValue).toBe(px4Integer(3));
  expect(answer.paramIndex).toBeLessThan(answer.paramCount);
  station.send(common.ParamSet, {
    ...at,
    paramId: "GF_ACTION",
    paramValue: 1,
    paramType: common.MavParamType.REAL32,
  });
  await station.next(common.StatusText, ({ text }) => text === "param types mismatch param: GF_ACTION", 0);
  expect(vehicle.param("GF_ACTION")).toBe(3);
});

test("an unknown parameter is answered with a status text and no PARAM_ERROR", async () => {
  station.send(common.ParamRequestRead, { ...at, paramId: "WP_SPD", paramIndex: -1 });
  await station.next(common.StatusText, ({ text }) => text === "unknown param: WP_SPD", 0);
  expect(station.all(ParamError)).toEqual([]);
});

test("a plan is requested with MISSION_REQUEST_INT, has no home item, and is read back as it was sent", async () => {
  expect(await station.upload(plan)).toBe(common.MavMissionResult.ACCEPTED);
  expect(station.all(common.MissionRequest)).toEqual([]);
  const stored = await station.download();
  expect(stored).toHaveLength(2);
  expect(stored[1]).toMatchObject({ frame: 6, param1: 1, param2: 3, z: Math.fround(12.345) });
});

test("items are given back in their order only", async () => {
  const request = async (seq: number) => {
    station.send(common.MissionRequestInt, { ...at, seq });
    return station.next(common.MissionItemInt, (item) => item.seq === seq);
  };
  await station.upload([...plan, ...plan]);
  station.send(common.MissionRequestList, at);
  await station.next(common.MissionCount);
  for (const seq of [0, 0, 1]) await request(seq);
  station.send(common.MissionRequestInt, { ...at, seq: 3 });
  expect((await station.next(common.MissionAck)).type).toBe(common.MavMissionResult.ERROR);
  await station.next(common.StatusText, ({ text }) => text.startsWith("WPM: REJ. CMD"), 0);
});

test("the number of items comes with a checksum of the plan", async () => {
  const counted = async () => {
    station.send(common.MissionRequestList, at);
    return (await station.next(common.MissionCount)).opaqueId;
  };
  expect(await counted()).toBe(0);
  await station.upload(plan);
  const first = await counted();
  expect(first).not.toBe(0);
  await station.upload([...plan, ...plan]);
  expect(await counted()).not.toBe(first);
  await station.upload(plan);
  expect(await counted()).toBe(first);
});

test("an interrupted upload leaves the old plan", async () => {
  await station.upload(plan);
  const broken = await station.upload([...plan, planItem({ command: 31_010 })]);
  expect(broken).toBe(common.MavMissionResult.UNSUPPORTED);
  expect(await station.download()).toHaveLength(2);
});

test("it takes off to a height above sea level, and holds there", async () => {
  expect(await station.command(22, Number.NaN, 0, 0, Number.NaN, Number.NaN, Number.NaN, 498)).toBe(0);
  expect(await station.command(400, 1)).toBe(0);
  await until(({ mode, relativeAltitude }) => mode === "AUTO_LOITER" && relativeAltitude > 9.5, "the height");
  expect(vehicle.state.relativeAltitude).toBeCloseTo(10, 0);
  expect(await station.command(400, 0)).toBe(1);
  expect(await station.command(21)).toBe(0);
  await until(({ armed }) => !armed, "the landing");
});

test("it flies a mission, holds at its end, and returns on command", async () => {
  await station.upload(plan);
  expect(await station.command(176, 1, 4, 4)).toBe(0);
  expect(await station.command(400, 1)).toBe(0);
  await until(({ mode }) => mode === "AUTO_LOITER", "the end of the plan");
  expect(station.all(common.MissionItemReached).map(({ seq }) => seq)).toEqual([0, 1]);
  expect(await station.command(176, 1, 4, 5)).toBe(0);
  await until(({ armed }) => !armed, "the landing at home");
});

test("failed checks are said when they begin to fail and when it is asked, and not by a refusal to arm", async () => {
  const isFail = (text: string) => text === "Preflight Fail: Vehicle is in safety configuration";
  const is = (id: number) => (event: Event) => event.id === 0x1_00_00_00 + id;
  await station.param("COM_ARMABLE", px4Integer(0), common.MavParamType.INT32);
  await station.next(common.StatusText, ({ text }) => isFail(text), 0);
  await station.next(Event, is(7_959_667), 0);
  const before = station.received.length;
  expect(await station.command(400, 1)).toBe(1);
  const said = station.received.slice(before).filter((each) => each instanceof common.StatusText);
  expect(said.map(({ text }) => text).join("")).toBe("Arming denied: Resolve system health failures first\t");
  expect(station.received.slice(before).filter((each) => each instanceof Event)).toEqual([]);
  const asked = station.received.length;
  expect(await station.command(401)).toBe(0);
  const events = station.received.slice(asked).filter((each): each is Event => each instanceof Event);
  expect(events.map(({ id }) => id - 0x1_00_00_00)).toEqual([11_047_904, 7_959_667, 453_929, 1_914_663]);
  expect(station.texts.filter(isFail)).toHaveLength(2);
  // A tab at its end would not fit in one message.
  expect(station.texts).not.toContain("\t");
});

test("OFFBOARD is refused", async () => {
  expect(await station.command(176, 1, 6)).toBe(1);
});

test("a status text ends in a tab where an event says the same", async () => {
  expect(await station.command(176, 1, 6)).toBe(1);
  expect(await station.command(176, 1, 4, 4)).toBe(1);
  expect(await station.command(400, 1)).toBe(0);
  expect(await station.command(22, Number.NaN, 0, 0, Number.NaN, Number.NaN, Number.NaN, 498)).toBe(0);
  await until(({ landed }) => !landed, "the flight");
  expect(await station.command(400, 0)).toBe(1);
  expect(await station.command(21)).toBe(0);
  await until(({ armed }) => !armed, "the landing");
  const isCheck = (text: string) => text.startsWith("Preflight Fail: ");
  expect(station.texts.filter((text) => !isCheck(text))).toEqual([
    "Switching to Offboard is currently not available\t",
    "Switching to Mission is currently not available\t",
    "Armed by external command\t",
    "Disarming denied: not landed\t",
    "Disarmed by landing\t",
  ]);
});

test("a plan is begun in its middle when an earlier one was, until the first item is made the current one", async () => {
  await station.upload(plan);
  station.send(common.MissionSetCurrent, { ...at, seq: 1 });
  await station.next(common.MissionCurrent, ({ seq }) => seq === 1);
  await station.upload([...plan, planItem({ frame: 6, x: 473_979_420, y: 85_455_940, z: 20 })]);
  expect((await station.next(common.MissionCurrent)).seq).toBe(1);
  station.send(common.MissionSetCurrent, { ...at, seq: 0 });
  await station.next(common.MissionCurrent, ({ seq }) => seq === 0);
});

test("a fence without home in it is taken, called invalid, and not acted on", async () => {
  const fence = [planItem({ command: 5003, param1: 50, x: 480_000_000, y: 85_455_940 })];
  expect(await station.upload([{ ...fence[0]!, param2: 1 }], common.MavMissionType.FENCE)).toBe(
    common.MavMissionResult.INVALID_PARAM2,
  );
  expect(await station.upload(fence, common.MavMissionType.FENCE)).toBe(common.MavMissionResult.ACCEPTED);
  await station.next(common.StatusText, ({ text }) => text.startsWith("Geofence invalid"), 0);
});
