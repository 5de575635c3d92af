import { build } from "../wire/codec";
import { ardupilotmega, common } from "../wire/messages";
import { batteryRow, ekfRow, estimatorRow, gpsRow, toDiagnostics } from "./diagnostics";
import { toHud } from "./hud";
import { fromEuler, fromMilliG, toImu, toRosOrientation } from "./imu";
import { fixStatus, toGps, toHome, toRawGps, toRelativeAltitude } from "./position";
import { type SystemParts, toSystem, toWind, toWindCov } from "./system";

/** The library names single flags; a sum of them is any number. */
const bits = (sum: number): number => sum;

/** The numbers on the right are worked out by hand from MAVLink's units. */

describe("positions", () => {
  const position = build(common.GlobalPositionInt, {
    lat: 473_977_420,
    lon: -85_455_940,
    alt: 503_250,
    relativeAlt: -1_500,
  });

  test("of the estimator are in degrees and metres above sea level", () => {
    expect(toGps(position, 3)).toEqual({
      type: "gps",
      data: {
        latitude: 47.397742,
        longitude: -8.545594,
        altitude: 503.25,
        status: { status: 0, service: 1 },
      },
    });
  });

  test("of an estimator that is still at 0,0 are no fix", () => {
    expect(toGps(build(common.GlobalPositionInt, {}), undefined)).toMatchObject({
      data: { status: { status: -1 } },
    });
    expect(toGps(position, undefined)).toMatchObject({ data: { status: { status: 0 } } });
  });

  test("above home are in metres, below home too", () => {
    expect(toRelativeAltitude(position)).toEqual({ type: "relalt", data: { data: -1.5 } });
  });

  test("of the receiver carry the number of satellites, if it is known", () => {
    const raw = build(common.GpsRawInt, { lat: 10_000_000, lon: 20_000_000, alt: 1500, fixType: 6 });
    expect(toRawGps(Object.assign(raw, { satellitesVisible: 14 }))).toEqual({
      type: "raw_gps",
      data: {
        latitude: 1,
        longitude: 2,
        altitude: 1.5,
        status: { status: 2, service: 1 },
        satellites_visible: 14,
      },
    });
    expect(toRawGps(Object.assign(raw, { satellitesVisible: 255 })).data).not.toHaveProperty(
      "satellites_visible",
    );
  });

  test("have a NavSatStatus by the kind of fix", () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].map(fixStatus)).toEqual([-1, -1, 0, 0, 1, 2, 2, 0, 1]);
  });

  test("of home are in degrees and metres", () => {
    const home = build(common.HomePosition, {
      latitude: -337_000_000,
      longitude: 1_510_000_000,
      altitude: 22_500,
    });
    expect(toHome(home)).toEqual({
      type: "home",
      data: { geo: { latitude: -33.7, longitude: 151, altitude: 22.5 } },
    });
  });
});

test("the HUD is passed on as it is", () => {
  const hud = build(common.VfrHud, {
    airspeed: 1.5,
    groundspeed: 2.5,
    heading: 270,
    throttle: 48,
    alt: 500,
    climb: -0.5,
  });
  expect(toHud(hud)).toEqual({
    type: "hud",
    data: { airspeed: 1.5, groundspeed: 2.5, heading: 270, throttle: 48, altitude: 500, climb: -0.5 },
  });
  expect(toHud(build(common.VfrHud, { airspeed: Number.NaN }))).toMatchObject({ data: { airspeed: null } });
});

test("an airspeed that PX4 has no sensor for reaches a watcher as null", () => {
  const hud = toHud(build(common.VfrHud, { airspeed: Number.NaN, groundspeed: 2.5, heading: 270 }));
  expect(JSON.parse(JSON.stringify(hud)).data).toMatchObject({
    airspeed: null,
    groundspeed: 2.5,
    heading: 270,
  });
});

describe("the attitude", () => {
  const close = (actual: { w: number; x: number; y: number; z: number }, expected: number[]) => {
    const [w = 0, x = 0, y = 0, z = 0] = expected;
    expect(actual.w).toBeCloseTo(w, 6);
    expect(actual.x).toBeCloseTo(x, 6);
    expect(actual.y).toBeCloseTo(y, 6);
    expect(actual.z).toBeCloseTo(z, 6);
  };
  const degrees = (angle: number) => (angle * Math.PI) / 180;

  test("facing north is turned 90° left of east", () => {
    close(toRosOrientation({ w: 1, x: 0, y: 0, z: 0 }), [Math.SQRT1_2, 0, 0, Math.SQRT1_2]);
  });

  test("facing east is no turn at all", () => {
    close(toRosOrientation(fromEuler(0, 0, degrees(90))), [1, 0, 0, 0]);
  });

  test("nose up by 30° facing east is a turn of -30° about the left axis", () => {
    close(toRosOrientation(fromEuler(0, degrees(30), degrees(90))), [
      Math.cos(degrees(15)),
      0,
      -Math.sin(degrees(15)),
      0,
    ]);
  });

  test("right side down by 20° facing east is a turn of 20° about the forward axis", () => {
    close(toRosOrientation(fromEuler(degrees(20), 0, degrees(90))), [
      Math.cos(degrees(10)),
      Math.sin(degrees(10)),
      0,
      0,
    ]);
  });
});

test("at rest the accelerometer's -1000 mg down is 9.80665 m/s² up, and rates turn with the axes", () => {
  const { data } = toImu(
    { w: 1, x: 0, y: 0, z: 0 },
    { x: 0.1, y: 0.2, z: 0.3 },
    fromMilliG({ xacc: 0, yacc: 500, zacc: -1000 }),
  ) as Extract<ReturnType<typeof toImu>, { type: "imu" }>;
  expect(data.angular_velocity).toEqual({ x: 0.1, y: -0.2, z: -0.3 });
  expect(data.linear_acceleration.z).toBeCloseTo(9.80665, 6);
  expect(data.linear_acceleration.y).toBeCloseTo(-4.903325, 6);
  expect(Object.is(data.linear_acceleration.x, 0)).toBe(true);
});

describe("the system's status", () => {
  const status = build(common.SysStatus, {
    onboardControlSensorsPresent: bits(0x2000_002f),
    onboardControlSensorsEnabled: bits(0x2000_0023),
    onboardControlSensorsHealth: bits(0x0000_0003),
    load: 423,
    voltageBattery: 12_345,
    currentBattery: 1_250,
    batteryRemaining: 76,
  });

  const systemOf = (parts: Partial<SystemParts> & Pick<SystemParts, "status">) =>
    toSystem({ armed: true, mode: "AUTO", link: { quality: 99.5, open: 12 }, ...parts });

  test("has volts, amperes, percent, and the health of sensors that are present and enabled", () => {
    expect(systemOf({ status })).toEqual({
      type: "system",
      data: {
        battery: {
          ...{ voltage: 12.345, current: 12.5, remaining: 76 },
          ...{ consumed: null, time_remaining: null, cells: [] },
        },
        cpu_load: 42.3,
        sensors: { gyro: true, accelerometer: true, gps: false, obstacle_avoidance: false },
        armed: true,
        mode: "AUTO",
        link: { quality: 99.5, open: 12 },
        wind: null,
        estimator: null,
      },
    });
  });

  test("has null for what is not measured", () => {
    const unknown = build(common.SysStatus, {
      voltageBattery: 65_535,
      currentBattery: -1,
      batteryRemaining: -1,
    });
    expect(systemOf({ status: unknown })).toMatchObject({
      data: { battery: { voltage: 0, current: null, remaining: null } },
    });
  });

  test("has the cells, the consumed charge and the time left of a battery that says so", () => {
    const batteryOf = (voltages: number[], more: Partial<common.BatteryStatus> = {}) =>
      build(common.BatteryStatus, {
        voltages: [...voltages, ...Array(10 - voltages.length).fill(65_535)],
        voltagesExt: [0, 0, 0, 0],
        currentConsumed: -1,
        ...more,
      });
    const shown = (battery: common.BatteryStatus) => systemOf({ status, battery });
    expect(
      shown(batteryOf([4_100, 4_090, 4_110], { currentConsumed: 320, timeRemaining: 540 })),
    ).toMatchObject({ data: { battery: { consumed: 320, time_remaining: 540, cells: [4.1, 4.09, 4.11] } } });
    // The whole battery in the place of its first cell.
    expect(shown(batteryOf([12_300]))).toMatchObject({
      data: { battery: { consumed: null, time_remaining: null, cells: [] } },
    });
    const twelve = batteryOf(Array(10).fill(4_000), { voltagesExt: [3_900, 3_950, 0, 0] });
    expect(shown(twelve)).toMatchObject({ data: { battery: { cells: [...Array(10).fill(4), 3.9, 3.95] } } });
  });

  test("has the wind as it comes from, whichever way the autopilot says it", () => {
    const ofArduPilot = (direction: number) => toWind(build(ardupilotmega.Wind, { direction, speed: 5 }));
    expect([ofArduPilot(-90), ofArduPilot(360), ofArduPilot(45)]).toEqual([
      { speed: 5, from: 270 },
      { speed: 5, from: 0 },
      { speed: 5, from: 45 },
    ]);
    const ofPx4 = (windX: number, windY: number) => toWindCov(build(common.WindCov, { windX, windY }));
    // To the north, and to the east.
    expect(ofPx4(3, 0)).toEqual({ speed: 3, from: 180 });
    expect(ofPx4(0, 4)).toEqual({ speed: 4, from: 270 });
    expect(systemOf({ status, wind: ofPx4(-3, -4) })).toMatchObject({
      data: { wind: { speed: 5, from: expect.closeTo(53.13, 2) } },
    });
  });

  test("has the estimator's row of the diagnostics", () => {
    const estimator = ekfRow(build(ardupilotmega.EkfStatusReport, { flags: bits(1024) }));
    expect(systemOf({ status, estimator })).toMatchObject({
      data: { estimator: { level: 2, message: "not initialised" } },
    });
  });

  test("gives one diagnostics row for each sensor, the battery and every other reported part", () => {
    const { data } = toDiagnostics({
      status,
      gps: { fixType: 3, satellitesVisible: 11, eph: 85 },
      ekf: build(ardupilotmega.EkfStatusReport, { flags: bits(831), velocityVariance: 0.1 }),
    }) as Extract<ReturnType<typeof toDiagnostics>, { type: "diagnostics" }>;
    expect(data.status).toEqual([
      { level: 0, name: "sensor: gyro", message: "healthy" },
      { level: 0, name: "sensor: accelerometer", message: "healthy" },
      { level: 2, name: "sensor: gps", message: "unhealthy" },
      { level: 2, name: "sensor: obstacle_avoidance", message: "unhealthy" },
      { level: 0, name: "battery", message: "12.35 V, 76 %" },
      { level: 0, name: "gps", message: "3D fix, 11 satellites, HDOP 0.85" },
      { level: 0, name: "estimator", message: "worst variance 0.10" },
    ]);
  });

  test("warns of an empty battery, a poor fix and an unsure estimator", () => {
    const battery = (percent: number) =>
      batteryRow(Object.assign(build(common.SysStatus, {}), { batteryRemaining: percent }));
    expect([31, 30, 15, -1].map((percent) => battery(percent).level)).toEqual([0, 1, 2, 0]);
    expect(
      [1, 2, 3].map((fixType) => gpsRow({ fixType, satellitesVisible: 255, eph: 65_535 }).level),
    ).toEqual([2, 1, 0]);
    const ekf = (fields: Partial<ardupilotmega.EkfStatusReport>) =>
      ekfRow(build(ardupilotmega.EkfStatusReport, { flags: bits(831), ...fields }));
    expect([0.4, 0.6, 0.9].map((compassVariance) => ekf({ compassVariance }).level)).toEqual([0, 1, 2]);
    expect(ekf({ flags: bits(39) })).toMatchObject({ level: 2, message: "no estimate of position" });
    expect(ekf({ flags: bits(1024) })).toMatchObject({ level: 2, message: "not initialised" });
    const px4 = (velRatio: number) =>
      estimatorRow(build(common.EstimatorStatus, { velRatio, magRatio: Number.NaN }));
    expect([0.2, 0.7, 1.2].map((ratio) => px4(ratio).level)).toEqual([0, 1, 2]);
  });
});
