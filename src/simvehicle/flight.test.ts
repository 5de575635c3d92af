import { offsetBy } from "../domain/geo";
import { GroundStation, planItem } from "../testing/fakes/ground-station";
import { startTestSimulator, type TestSimulator, type TestVehicle } from "../testing/worlds/simulator";
import { common, minimal, ParamError, ParamErrorCode } from "../vehicle/mavlink/wire/messages";

const SPEED_UP = 40;
const home = { lat: 47.397742, lng: 8.545594, altitude: 488 };
let simulator: TestSimulator;
let station: GroundStation;
let vehicle: TestVehicle;

async function start(kind: "copter" | "rover", params: Record<string, number> = {}, speedUp = SPEED_UP) {
  simulator = await startTestSimulator([{ kind, home, params }], speedUp);
  vehicle = simulator.vehicle;
  station = await GroundStation.connect(vehicle.port);
  await station.stream(33, 50);
}
afterEach(async () => {
  await station.close();
  await simulator.stop();
});

const COPTER = { stabilize: 0, auto: 3, guided: 4, loiter: 5, rtl: 6, land: 9, brake: 17 };
const ROVER = { auto: 10, rtl: 11, guided: 15 };
const offset = (n: number, e: number) => {
  const { lat, lng } = offsetBy(home, n, e);
  return { x: Math.round(lat * 1e7), y: Math.round(lng * 1e7) };
};
/** Wait, by the vehicle's telemetry, until its true state is so. */
const until = (holds: (state: TestVehicle["state"]) => boolean, what: string) =>
  station.until(() => holds(vehicle.state), what);
const away = (n: number, e: number) => {
  const target = offsetBy(home, n, e);
  const { position } = vehicle.state;
  return Math.hypot((position.lat - target.lat) * 111_319, (position.lng - target.lng) * 75_350);
};

/** Sends DO_REPOSITION and returns MAV_RESULT. */
async function goTo({ x, y }: { x: number; y: number }, altitude: number) {
  station.send(common.CommandInt, {
    targetSystem: 1,
    targetComponent: 1,
    frame: common.MavFrame.GLOBAL_RELATIVE_ALT,
    command: 192 as common.MavCmd,
    _param1: -1,
    _param5: x,
    _param6: y,
    _param7: altitude,
  });
  return (await station.next(common.CommandAck)).result;
}

async function takeOff(altitude: number) {
  expect(await station.setMode(COPTER.guided)).toBe(0);
  expect(await station.command(400, 1)).toBe(0);
  expect(await station.command(22, 0, 0, 0, 0, 0, 0, altitude)).toBe(0);
  await until(({ relativeAltitude }) => Math.abs(relativeAltitude - altitude) < 0.5, "the height");
}

describe("arming", () => {
  test("is refused in a mode that cannot start", async () => {
    await start("copter");
    expect(await station.setMode(COPTER.rtl)).toBe(0);
    expect(await station.command(400, 1)).toBe(4);
    expect(station.texts).toContain("Arm: RTL mode not armable");
  });

  test("cannot be undone in the air", async () => {
    await start("copter");
    await takeOff(5);
    expect(await station.command(400, 0)).toBe(4);
    expect(vehicle.state.armed).toBe(true);
  });
});

test("a copter that touches the ground accepts a target and stays there", async () => {
  await start("copter", {}, 3);
  await takeOff(2);
  expect(await station.setMode(COPTER.land)).toBe(0);
  await until(({ relativeAltitude }) => relativeAltitude < 0.01, "the touch");
  expect(await station.setMode(COPTER.guided)).toBe(0);
  expect(vehicle.state).toMatchObject({ armed: true, landed: false });
  expect(await goTo(offset(0, 30), 15)).toBe(0);
  await until(({ landed }) => landed, "that it knows it has landed");
  expect(vehicle.state).toMatchObject({ armed: true, mode: "GUIDED" });
  expect(away(0, 0)).toBeLessThan(1);
});

describe("a copter in GUIDED", () => {
  beforeEach(() => start("copter"));

  test("takes off only armed, landed and in a mode that can", async () => {
    expect(await station.command(22, 0, 0, 0, 0, 0, 0, 10)).toBe(4);
    await takeOff(10);
    expect(await station.command(22, 0, 0, 0, 0, 0, 0, 20)).toBe(4);
  });

  test("flies to its target and reports its position", async () => {
    await takeOff(10);
    const { x, y } = offset(60, -40);
    expect(await goTo({ x, y }, 15)).toBe(0);
    await until(
      ({ relativeAltitude }) => away(60, -40) < 0.5 && Math.abs(relativeAltitude - 15) < 0.3,
      "arrival",
    );
    const { lat, lon, relativeAlt } = await station.next(common.GlobalPositionInt);
    expect(Math.abs(lat - x)).toBeLessThan(60);
    expect(Math.abs(lon - y)).toBeLessThan(60);
    expect(relativeAlt / 1000).toBeCloseTo(15, 0);
  });

  test("obeys a local setpoint, north, east and down from where it started", async () => {
    await takeOff(10);
    station.send(common.SetPositionTargetLocalNed, {
      targetSystem: 1,
      targetComponent: 1,
      coordinateFrame: common.MavFrame.LOCAL_NED,
      typeMask: 0xdf8 as common.PositionTargetTypemask,
      x: 20,
      y: 10,
      z: -12,
    });
    await until(
      ({ relativeAltitude }) => away(20, 10) < 0.5 && Math.abs(relativeAltitude - 12) < 0.3,
      "arrival",
    );
  });

  test("ignores commands and setpoints with NaN", async () => {
    await takeOff(10);
    expect(await station.command(192, -1, 0, 0, 0, home.lat, home.lng, Number.NaN)).toBe(2);
    expect(await station.command(209, 1, 0, Number.NaN, Number.NaN)).toBe(4);
    const setpoint = { targetSystem: 1, coordinateFrame: common.MavFrame.LOCAL_NED };
    const { NaN: nothing } = Number;
    const position = { x: nothing, y: 0, z: -5, typeMask: 0xdf8 as common.PositionTargetTypemask };
    station.send(common.SetPositionTargetLocalNed, { ...setpoint, ...position });
    station.send(common.ParamSet, { targetSystem: 1, paramId: "WP_SPD", paramValue: nothing });
    await station.next(ParamError, ({ error }) => error === ParamErrorCode.VALUE_OUT_OF_RANGE, 0);
    await station.next(common.GlobalPositionInt);
    expect(vehicle.state.relativeAltitude).toBeCloseTo(10, 0);
    expect(away(0, 0)).toBeLessThan(0.5);
  });

  test("ignores setpoints in another mode", async () => {
    await takeOff(10);
    expect(await station.setMode(COPTER.brake)).toBe(0);
    expect(await station.command(192, -1, 0, 0, 0, home.lat, home.lng, 20)).toBe(2);
  });

  test("lands on command and disarms by itself", async () => {
    await takeOff(10);
    expect(await station.setMode(COPTER.land)).toBe(0);
    await until(({ armed, landed }) => !armed && landed, "the landing");
    expect(vehicle.state.relativeAltitude).toBeCloseTo(0, 1);
    expect(station.texts).toContain("Disarming motors");
  });

  test("returns at RTL_ALT and lands at home", async () => {
    expect((await station.param("RTL_ALT_M", 25)).paramValue).toBe(25);
    await takeOff(5);
    station.send(common.SetPositionTargetLocalNed, {
      targetSystem: 1,
      targetComponent: 1,
      coordinateFrame: common.MavFrame.LOCAL_NED,
      typeMask: 0xdf8 as common.PositionTargetTypemask,
      x: 80,
      z: -5,
    });
    await until(() => away(80, 0) < 1, "the far position");
    expect(await station.setMode(COPTER.rtl)).toBe(0);
    await until(({ relativeAltitude }) => relativeAltitude > 24, "the height of the return");
    await until(({ armed }) => !armed, "the landing");
    expect(away(0, 0)).toBeLessThan(1.5);
  });
});

describe("a copter's mission", () => {
  const plan = [
    planItem({ frame: 0 }),
    planItem({ command: 22, z: 15 }),
    planItem({ ...offset(40, 0), z: 15, param1: 5 }),
    planItem({ command: 178, param1: 1, param2: 3 }),
    planItem({ ...offset(40, 40), z: 20 }),
    planItem({ command: 20 }),
  ];
  beforeEach(() => start("copter"));

  test("is flown item by item, and ends at home, disarmed", async () => {
    await station.upload(plan);
    await takeOff(5);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    await until(({ armed }) => !armed, "the end");
    expect(station.all(common.MissionItemReached).map(({ seq }) => seq)).toEqual([1, 2, 4, 5]);
    expect(station.texts).toContain("Mission: 4 WP");
    expect(away(0, 0)).toBeLessThan(1.5);
  });

  test("does not start from the ground in AUTO until the throttle is raised", async () => {
    await station.upload(plan);
    expect(await station.command(400, 1)).toBe(0);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    await station.next(minimal.Heartbeat);
    expect(vehicle.state.landed).toBe(true);
    station.send(common.ManualControl, { target: 1, x: 0, y: 0, z: 800, r: 0 });
    await until(({ relativeAltitude }) => relativeAltitude > 10, "the takeoff");
  });

  test("without a takeoff is refused on the ground", async () => {
    await station.upload([plan[0]!, plan[2]!]);
    expect(await station.command(400, 1)).toBe(0);
    expect(await station.setMode(COPTER.auto)).toBe(4);
    expect(station.texts).toContain("Auto: Missing Takeoff Cmd");
  });

  test("that ends in the air leaves it there, in AUTO, and says complete", async () => {
    await station.upload(plan.slice(0, 3));
    await takeOff(5);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    await until(({ mission }) => mission.state === "complete", "the end");
    await station.command(512, 42);
    const current = station.all(common.MissionCurrent).at(-1)!;
    expect([current.missionState as number, current.total]).toEqual([5, 2]);
    expect(vehicle.state).toMatchObject({ mode: "AUTO", armed: true, landed: false });
  });

  test("cannot be cleared while it runs", async () => {
    await station.upload(plan);
    await takeOff(5);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    station.send(common.MissionClearAll, { targetSystem: 1, targetComponent: 1, missionType: 0 });
    expect((await station.next(common.MissionAck)).type as number).toBe(1);
  });

  test("resumes where it stopped, and starts from a given item", async () => {
    await station.upload(plan);
    await takeOff(15);
    station.send(common.MissionSetCurrent, { targetSystem: 1, targetComponent: 1, seq: 4 });
    await station.next(common.MissionCurrent, () => true, 0);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    expect(vehicle.state.mission.seq).toBe(4);
    expect(await station.setMode(COPTER.guided)).toBe(0);
    expect(await station.setMode(COPTER.auto)).toBe(0);
    expect(vehicle.state.mission.seq).toBe(4);
  });
});

describe("sticks", () => {
  const sticks = { target: 1, x: 400, y: 0, z: 500, r: 0 };

  test("fly a copter in LOITER, and are centred when they are not repeated", async () => {
    await start("copter", { RC_OVERRIDE_TIME: 0.3 });
    await takeOff(30);
    // Before the mode: in LOITER an untouched throttle stick, at the bottom, means down.
    station.send(common.ManualControl, sticks);
    expect(await station.setMode(COPTER.loiter)).toBe(0);
    await until(({ groundSpeed }) => groundSpeed > 2, "the stick");
    expect(vehicle.state.position.lat).toBeGreaterThan(home.lat);
    await until(({ groundSpeed }) => groundSpeed < 0.1, "the stop");
  });

  test("of another ground station than the vehicle's own are ignored", async () => {
    await start("copter");
    await takeOff(10);
    expect(await station.setMode(COPTER.loiter)).toBe(0);
    await station.close();
    station = await GroundStation.connect(vehicle.port, 245);
    station.send(common.ManualControl, sticks);
    await station.next(minimal.Heartbeat);
    await station.next(common.GlobalPositionInt);
    expect(vehicle.state.groundSpeed).toBeLessThan(0.1);
  });

  test("MANUAL_CONTROL raises the throttle to take off", async () => {
    await start("copter");
    expect(await station.setMode(COPTER.loiter)).toBe(0);
    expect(await station.command(400, 1)).toBe(0);
    station.send(common.ManualControl, { target: 1, x: 0, y: 0, z: 800, r: 0 });
    await until(({ relativeAltitude }) => relativeAltitude > 2, "the climb");
  });
});

describe("a rover", () => {
  beforeEach(() => start("rover"));

  test("refuses a takeoff", async () => {
    expect(await station.setMode(ROVER.guided)).toBe(0);
    expect(await station.command(400, 1)).toBe(0);
    expect(station.texts).toContain("Throttle armed");
    expect(await station.command(22, 0, 0, 0, 0, 0, 0, 10)).toBe(3);
  });

  test("drives its mission, skips the takeoff in it, and stays in AUTO", async () => {
    await station.upload([
      planItem({ frame: 0 }),
      planItem({ command: 22, z: 10 }),
      planItem({ ...offset(10, 0) }),
      planItem({ ...offset(10, 10) }),
    ]);
    expect(await station.command(400, 1)).toBe(0);
    expect(await station.setMode(ROVER.auto)).toBe(0);
    await until(({ mission }) => mission.state === "complete", "the end");
    expect(station.texts).toContain("Skipping invalid cmd #22");
    expect(away(10, 10)).toBeLessThan(2.5);
    expect(vehicle.state).toMatchObject({ mode: "AUTO", armed: true });
  });

  test("returns home", async () => {
    expect(await station.setMode(ROVER.guided)).toBe(0);
    expect(await station.command(400, 1)).toBe(0);
    expect(await station.command(192, -1, 0, 0, 0, home.lat + 0.0002, home.lng, 0)).toBe(0);
    await until(({ groundSpeed }) => away(22.3, 0) < 2.5 && groundSpeed < 0.2, "arrival");
    expect(await station.setMode(ROVER.rtl)).toBe(0);
    await until(() => away(0, 0) < 2.5, "home");
  });
});
