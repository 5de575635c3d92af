import { analyse, declared, flight, HOME, micro, NORTH, statsOf } from "../testing/analysed-logs";
import { seededRandom } from "../testing/fakes/mavlink-stream";

describe("a DataFlash log", () => {
  test("yields the flight between arming and disarming", () => {
    const stats = statsOf(flight().bytes);
    expect(stats).toMatchObject({ format: "dataflash", complete: true, damaged_bytes: 0 });
    expect(stats.vehicle).toBe("ArduCopter V4.7.0 (simulated)");
    expect(stats.duration_seconds).toBeCloseTo(110, 3);
    expect(stats.log_seconds).toBeCloseTo(129, 3);
    expect(stats.distance_m).toBeCloseTo(500, 0);
    expect(stats.mean_speed_ms).toBeCloseTo(500 / 110, 2);
    expect(stats.max_speed_ms).toBe(5);
    expect(stats.max_altitude_m).toBeCloseTo(20, 4);
    expect(stats.min_altitude_m).toBeCloseTo(0, 4);
    expect(stats.max_climb_ms).toBe(0);
    expect(stats.max_descent_ms).toBe(2);
    expect(stats.max_distance_from_home_m).toBeCloseTo(500, 0);
    expect(stats.modes.map(({ name }) => name)).toEqual(["GUIDED", "RTL"]);
    expect(stats.modes.map(({ seconds }) => Math.round(seconds))).toEqual([50, 60]);
    expect(stats.battery?.used_mah).toBeCloseTo(550, 3);
    expect(stats.battery?.min_voltage_v).toBeCloseTo(11.5, 4);
    expect(stats.battery?.start_voltage_v).toBeCloseTo(12.6, 4);
    expect(stats.gps).toMatchObject({ fix_share: 1, min_satellites: 14 });
    expect(stats.vibration).toMatchObject({ max: [1, 2, 30], clips: 3 });
    expect(stats.incidents).toEqual([
      { seconds: expect.closeTo(80, 3), severity: "failsafe", text: "Battery failsafe", count: 1 },
    ]);
    expect(stats.started_at).toBe(
      new Date(Date.UTC(1980, 0, 6) - 18_000 + 2300 * 604_800_000 + 300_010_000).toISOString(),
    );
  });

  test("gives a track and series of at most 500 points, from the first to the last", () => {
    const { track, series } = statsOf(flight().bytes);
    for (const points of [track, series]) {
      expect(points.length).toBeGreaterThan(250);
      expect(points.length).toBeLessThanOrEqual(500);
      expect(points[0]?.seconds).toBe(0);
      expect(points.at(-1)?.seconds).toBeCloseTo(110, 3);
    }
  });

  test("is read the same however it is cut into pieces", () => {
    const { bytes } = flight();
    const whole = statsOf(bytes);
    for (const piece of [1, 7, 88, 4096, 65_537]) expect(statsOf(bytes, piece)).toEqual(whole);
  });

  test("without the estimator's positions uses the receiver's", () => {
    const log = declared().write("EV", micro(1), 10);
    for (let t = 1; t <= 60; t++)
      log.write("GPS", micro(t), 0, 3, 0, 0, 9, 1, HOME.lat + t * 10 * NORTH, HOME.lng, 500 + t, 10, -1);
    const stats = statsOf(log.bytes);
    expect(stats.distance_m).toBeCloseTo(590, 0);
    expect(stats.max_altitude_m).toBeCloseTo(59, 3);
    expect(stats.duration_seconds).toBeCloseTo(59, 3);
    expect(stats.started_at).toBeNull();
  });

  test("that begins in the air counts up to the landing", () => {
    const log = declared();
    for (let t = 1; t <= 30; t++) log.write("POS", micro(t), HOME.lat + t * NORTH, HOME.lng, 500, 10, 10);
    const stats = statsOf(log.write("EV", micro(30), 11).bytes);
    expect(stats.distance_m).toBeCloseTo(29, 1);
  });

  test("cut off at any byte is read up to there", () => {
    const { bytes } = flight();
    const random = seededRandom(1);
    for (let round = 0; round < 60; round++) {
      const cut = 17 + Math.floor(random() * (bytes.length - 17));
      const result = analyse(bytes.subarray(0, cut));
      if (cut < 89) expect(result).toMatchObject({ status: "unreadable", reason: "foreign" });
      else expect(["complete", "damaged"]).toContain(result.status);
    }
    expect(analyse(bytes.subarray(0, bytes.length / 2 + 1))).toMatchObject({ status: "damaged" });
  });

  test("cut off behind the flight has all of it", () => {
    const { bytes } = flight();
    const { track: _, series: __, ...whole } = statsOf(bytes);
    const cut = analyse(bytes.subarray(0, -1));
    expect(cut).toMatchObject({
      status: "complete",
      stats: { complete: true, duration_seconds: whole.duration_seconds, distance_m: whole.distance_m },
    });
  });

  test("with damaged parts yields nearly the same flight", () => {
    const { bytes } = flight();
    const whole = statsOf(bytes);
    const random = seededRandom(7);
    // The head that declares the messages is spared, as it is the smallest part of any log.
    for (let count = 0; count < 60; count++)
      bytes[1_000 + Math.floor(random() * (bytes.length - 2_000))]! ^= 0xff;
    const stats = statsOf(bytes);
    expect(stats.complete).toBe(false);
    expect(Math.abs(stats.distance_m / whole.distance_m - 1)).toBeLessThan(0.02);
    expect(Math.abs(stats.duration_seconds / whole.duration_seconds - 1)).toBeLessThan(0.02);
  });

  test("with invalid formats is read without them", () => {
    const log = flight()
      .declare(20, "SHRT", "QLL", "TimeUS,Lat,Lng", 5)
      .declare(21, "NONE", "QL", "TimeUS,Lat", 0)
      .declare(22, "MORE", "BBBB", "One")
      .declare(0x80, "FMT", "Q", "TimeUS", 11)
      .declare(4, "POS", "QLLfff?", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt,X", 255);
    expect(statsOf(log.bytes).distance_m).toBeCloseTo(500, 0);
  });
});
test("a failsafe of ArduPilot counts when it begins, each on its own", () => {
  const log = declared().write("EV", micro(1), 10);
  for (const [t, subsystem, code] of [
    [2, 8, 1],
    [3, 8, 1],
    [4, 6, 1],
    [5, 8, 0],
    [6, 8, 1],
    [7, 10, 3],
  ] as const)
    log.write("ERR", micro(t), subsystem, code);
  const { failsafes, incidents } = statsOf(log.write("EV", micro(9), 11).bytes);
  expect(failsafes).toBe(3);
  expect(incidents.map(({ text, count }) => [text, count])).toEqual([
    ["Ground station failsafe", 2],
    ["Battery failsafe", 1],
    ["Flight mode change (code 3)", 1],
  ]);
});

test("a failsafe that only a mode's reason tells counts, one that ERR told already does not", () => {
  const log = declared().write("EV", micro(1), 10);
  log.write("MODE", micro(2), 4, 4, 4).write("MODE", micro(3), 4, 4, 4).write("MODE", micro(4), 15, 15, 2);
  log.write("MODE", micro(5), 4, 4, 4).write("MODE", micro(6), 15, 15, 2);
  log.write("ERR", micro(7), 8, 1).write("MODE", micro(7), 11, 11, 5).write("MODE", micro(8), 15, 15, 2);
  const { failsafes, incidents } = statsOf(log.write("EV", micro(9), 11).bytes);
  expect(failsafes).toBe(3);
  expect(incidents.map(({ text, count }) => [text, count])).toEqual([
    ["Battery failsafe", 2],
    ["Ground station failsafe", 1],
  ]);
});
