import { seededRandom } from "../testing/fakes/mavlink-stream";
import { DataFlashLog, tlog, Ulog } from "../testing/flight-logs";
import { build, FrameWriter } from "../vehicle/mavlink/wire/codec";
import { common, minimal } from "../vehicle/mavlink/wire/messages";
import { LogAnalysis } from "./analysis";
import type { FlightLogResult, FlightStats, FlightTime } from "./result";

/** Analyses the bytes, handed over in pieces of this size. */
function analyse(bytes: Buffer, piece = bytes.length || 1, during?: FlightTime): FlightLogResult {
  const analysis = new LogAnalysis("flight.bin", during);
  for (let at = 0; at < bytes.length; at += piece) {
    if (!analysis.push(bytes.subarray(at, at + piece))) break;
  }
  return analysis.end();
}

function statsOf(bytes: Buffer, piece?: number, during?: FlightTime): FlightStats {
  const result = analyse(bytes, piece, during);
  if (result.status === "unreadable") throw new Error(result.error);
  return result.stats;
}

const HOME = { lat: 47, lng: 8, altitude: 500 };
const NORTH = 1 / 111_318.845;
const micro = (seconds: number) => seconds * 1e6;

function declared(): DataFlashLog {
  return new DataFlashLog()
    .declare(1, "MSG", "QZ", "TimeUS,Message")
    .declare(2, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn")
    .declare(3, "EV", "QB", "TimeUS,Id")
    .declare(4, "POS", "QLLfff", "TimeUS,Lat,Lng,Alt,RelHomeAlt,RelOriginAlt")
    .declare(5, "GPS", "QBBIHBfLLfff", "TimeUS,I,Status,GMS,GWk,NSats,HDop,Lat,Lng,Alt,Spd,VZ")
    .declare(6, "BAT", "QBff", "TimeUS,Inst,Volt,CurrTot")
    .declare(7, "ERR", "QBB", "TimeUS,Subsys,ECode")
    .declare(8, "VIBE", "QBfffI", "TimeUS,IMU,VibeX,VibeY,VibeZ,Clip")
    .declare(9, "ORGN", "QBLLf", "TimeUS,Type,Lat,Lng,Alt");
}

/** Armed at 10 s, 100 s north at 5 m/s and 20 m height, then down; disarmed at 120 s. */
function flight(): DataFlashLog {
  const log = declared().write("MSG", micro(1), "ArduCopter V4.7.0 (simulated)");
  log.write("MODE", micro(1), 4, 4, 0).write("ORGN", micro(2), 1, HOME.lat, HOME.lng, HOME.altitude);
  // It was carried about before.
  log.write("POS", micro(5), HOME.lat + 50 * NORTH, HOME.lng, 900, 400, 400);
  for (let tenth = 100; tenth <= 1200; tenth++) {
    const t = tenth / 10;
    if (tenth === 100) log.write("EV", micro(t), 10);
    if (tenth === 600) log.write("MODE", micro(t), 6, 6, 0);
    const moving = t > 10 && t <= 110;
    const north = Math.min(100, t - 10) * 5;
    const height = t < 110 ? 20 : 20 - (t - 110) * 2;
    log.write("POS", micro(t), HOME.lat + north * NORTH, HOME.lng, 500 + height, height, height);
    if (tenth % 2 === 0)
      log.write(
        "GPS",
        micro(t),
        0,
        6,
        300_000_000 + t * 1000,
        2300,
        14,
        0.7,
        HOME.lat,
        HOME.lng,
        500,
        moving ? 5 : 0,
        t > 110 ? 2 : 0,
      );
    if (tenth % 10 === 0) log.write("BAT", micro(t), 0, 12.6 - (t - 10) / 100, (t - 10) * 5);
    if (tenth % 10 === 0) log.write("BAT", micro(t), 1, 3, 0);
    if (tenth % 10 === 0) log.write("VIBE", micro(t), 0, 1, 2, t === 50 ? 30 : 3, t > 50 ? 7 : 4);
    if (tenth === 900) log.write("ERR", micro(t), 6, 1);
  }
  return log.write("EV", micro(120), 11).write("POS", micro(130), HOME.lat, HOME.lng, 500, 0, 0);
}

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

describe("a DataFlash log of several flights", () => {
  const MINUTE = 60_000;
  /** The wall clock when the log began. */
  const BOOT = Date.UTC(2026, 0, 6) + MINUTE;
  const GPS_EPOCH = Date.UTC(1980, 0, 6) - 18_000;
  const WEEK = 604_800_000;

  /** A flight of `n` metres and seconds in each tenth minute; the first begins with the log. */
  function flights(count: number, { gps = true, last = true } = {}): DataFlashLog {
    const log = declared();
    for (let n = 1; n <= count; n++) {
      const from = (n - 1) * 600;
      if (n > 1) log.write("EV", micro(from), 10);
      log.write("ORGN", micro(from), 1, HOME.lat, HOME.lng, HOME.altitude);
      for (let t = 0; t <= n; t++) {
        log.write("POS", micro(from + t), HOME.lat + t * NORTH, HOME.lng, 500, n, n);
        log.write("BAT", micro(from + t), 0, 12, 100 * n + t);
        if (n % 2 === 0 && t <= 2) log.write("ERR", micro(from + t), 6, t % 2);
        const [week, inWeek] = [Math.floor((BOOT - GPS_EPOCH) / WEEK), (BOOT - GPS_EPOCH) % WEEK];
        const ms = inWeek + (from + t) * 1000;
        if (gps) log.write("GPS", micro(from + t), 0, 3, ms, week, 9, 1, HOME.lat, HOME.lng, 500, 1, 0);
      }
      if (n < count || last) log.write("EV", micro(from + n), 11);
      // It is carried about meanwhile, for longer than a log's gap.
      for (let t = n + 10; t < 600 && n < count; t += 60)
        log.write("POS", micro(from + t), HOME.lat + t * NORTH, HOME.lng, 900, 400, 400);
    }
    return log;
  }
  const during = (from: number, to: number): FlightTime => ({
    from: BOOT + from * MINUTE,
    to: BOOT + to * MINUTE,
  });
  const took = (bytes: Buffer, time?: FlightTime) => {
    const stats = statsOf(bytes, undefined, time);
    const { flight_number, flight_count, flight_chosen_by, duration_seconds, distance_m } = stats;
    expect(distance_m).toBeCloseTo(flight_number, 1);
    expect(duration_seconds).toBeCloseTo(flight_number, 3);
    expect(stats.max_altitude_m).toBe(flight_number);
    expect(stats.battery?.used_mah).toBeCloseTo(flight_number, 3);
    expect(stats.failsafes).toBe(flight_number % 2 === 0 ? 1 : 0);
    expect(stats.incidents).toHaveLength(stats.failsafes);
    return [flight_number, flight_count, flight_chosen_by];
  };

  test("gives the one that overlaps the execution most, by GPS time", () => {
    const { bytes } = flights(5);
    for (const n of [1, 2, 3, 4, 5])
      expect(took(bytes, during(10 * n - 11, 10 * n - 9))).toEqual([n, 5, "time"]);
    expect(took(bytes, during(-1, 45))).toEqual([5, 5, "time"]);
  });

  test("gives the last one that ended before the execution did where none overlaps it", () => {
    const { bytes } = flights(5);
    expect(took(bytes, during(15, 16))).toEqual([2, 5, "order"]);
    expect(took(bytes, during(99, 100))).toEqual([5, 5, "order"]);
    expect(took(bytes, during(-9, -8))).toEqual([5, 5, "order"]);
  });

  test("without GPS time gives the last one that ended, not the one that the log is cut off in", () => {
    expect(took(flights(3, { gps: false }).bytes, during(10, 11))).toEqual([3, 3, "order"]);
    expect(took(flights(3, { gps: false, last: false }).bytes, during(10, 11))).toEqual([2, 3, "order"]);
    expect(took(flights(1, { gps: false, last: false }).bytes)).toEqual([1, 1, "order"]);
  });

  test("may have more than are kept", () => {
    const { bytes } = flights(60);
    for (const n of [2, 30, 59, 60])
      expect(took(bytes, during(10 * n - 11, 10 * n - 9))).toEqual([n, 60, "time"]);
    expect(took(flights(60, { gps: false }).bytes, during(10, 11))).toEqual([60, 60, "order"]);
  });
});

describe("a DataFlash log without a record of the arming", () => {
  const positions = (log: DataFlashLog, from: number, to: number) => {
    for (let t = from; t <= to; t++) log.write("POS", micro(t), HOME.lat + t * NORTH, HOME.lng, 500, 10, 10);
    return log;
  };
  const parameters = (value: number) =>
    declared()
      .declare(20, "PARM", "QNff", "TimeUS,Name,Value,Default")
      .write("PARM", micro(30), "LOG_DISARMED", value, 0);

  test("is a flight from its first message to the disarming", () => {
    const log = positions(parameters(0).write("MODE", micro(30), 4, 4, 0), 31, 60).write("EV", micro(60), 11);
    expect(statsOf(positions(log, 61, 75).bytes)).toMatchObject({
      ...{ duration_seconds: 30, log_seconds: 45, flight_number: 1, flight_count: 1 },
      modes: [{ name: "GUIDED", seconds: 30 }],
    });
  });

  test("and without one of the disarming is a flight to its last message", () => {
    const stats = statsOf(positions(parameters(0), 31, 60).bytes);
    expect(stats).toMatchObject({ duration_seconds: 30, flight_number: 1, flight_count: 1 });
  });

  test("that is written also while disarmed has no flight", () => {
    const stats = statsOf(positions(parameters(1), 31, 60).bytes);
    expect(stats).toMatchObject({ duration_seconds: 0, distance_m: 0, flight_number: 0, flight_count: 0 });
  });

  test("that a refused arming began is no flight until it is armed", () => {
    const log = parameters(0).write("MSG", micro(30), "Arm: Need Position Estimate");
    positions(log, 31, 40);
    expect(statsOf(log.bytes).flight_count).toBe(0);
    const flown = positions(log.write("EV", micro(41), 10), 42, 50).write("EV", micro(50), 11);
    expect(statsOf(flown.bytes)).toMatchObject({ duration_seconds: 9, flight_number: 1, flight_count: 1 });
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

describe("a telemetry log", () => {
  const START = Date.UTC(2026, 4, 1) * 1000;
  const vehicle = new FrameWriter(3, 1);
  const station = new FrameWriter(255, 190);
  const beat = (armed: boolean, mode: number) =>
    build(minimal.Heartbeat, {
      type: minimal.MavType.QUADROTOR,
      autopilot: minimal.MavAutopilot.ARDUPILOTMEGA,
      baseMode: (armed ? 0x81 : 1) as minimal.MavModeFlag,
      customMode: mode,
    });

  function frames(): { at: number; frame: Buffer }[] {
    const sent: { at: number; frame: Buffer }[] = [];
    for (let t = 0; t <= 60; t++) {
      const at = START + micro(t);
      const groundBeat = build(minimal.Heartbeat, { type: 6, autopilot: 8, customMode: 99 });
      sent.push({ at, frame: station.encode(groundBeat) });
      sent.push({ at, frame: vehicle.encode(beat(t >= 10 && t < 50, t < 30 ? 4 : 6)) });
      const position = build(common.GlobalPositionInt, {
        lat: Math.round((HOME.lat + t * 3 * NORTH) * 1e7),
        lon: HOME.lng * 1e7,
        alt: 500_000 + t * 1000,
        relativeAlt: t * 1000,
        vx: 300,
        vz: -100,
      });
      sent.push({ at, frame: vehicle.encode(position) });
      const status = build(common.SysStatus, { voltageBattery: 12_600 - t * 10, batteryRemaining: 100 - t });
      sent.push({ at, frame: vehicle.encode(status) });
      if (t === 20) {
        const text = build(common.StatusText, { severity: 2, text: "Battery Failsafe - RTL" });
        sent.push({ at, frame: vehicle.encode(text) });
      }
    }
    return sent;
  }

  test("yields the vehicle's flight, whatever the ground station sends in between", () => {
    const stats = statsOf(tlog(frames()));
    expect(stats).toMatchObject({ format: "tlog", complete: true, messages: 61 * 4 + 1 });
    expect(stats.duration_seconds).toBeCloseTo(40, 3);
    expect(stats.distance_m).toBeCloseTo(117, 0);
    expect(stats.max_altitude_m).toBe(49);
    expect(stats.max_climb_ms).toBe(1);
    expect(stats.modes.map(({ name }) => name)).toEqual(["GUIDED", "RTL"]);
    expect(stats.battery).toMatchObject({ used_percent: 39, min_voltage_v: 12.11 });
    expect(stats.incidents).toMatchObject([{ severity: "failsafe", text: "Battery Failsafe - RTL" }]);
    expect(stats.started_at).toBe("2026-05-01T00:00:10.000Z");
  });

  test("counts the failsafes that the heartbeat shows, and takes the flight of the time that it is asked for", () => {
    const sent: { at: number; frame: Buffer }[] = [];
    for (let t = 0; t <= 100; t++) {
      const failing = (t >= 20 && t < 25) || (t >= 70 && t < 71) || (t >= 75 && t < 80);
      const message = beat(t % 50 >= 10 && t % 50 < 40, 4);
      message.systemStatus = failing ? minimal.MavState.CRITICAL : minimal.MavState.ACTIVE;
      sent.push({ at: START + micro(t), frame: vehicle.encode(message) });
    }
    const at = (from: number, to: number) => ({
      from: START / 1000 + from * 1000,
      to: START / 1000 + to * 1000,
    });
    const of = (time?: FlightTime) => statsOf(tlog(sent), undefined, time);
    expect(of(at(5, 45))).toMatchObject({
      flight_number: 1,
      flight_count: 2,
      failsafes: 1,
      duration_seconds: 30,
    });
    expect(of(at(55, 95))).toMatchObject({ flight_number: 2, flight_chosen_by: "time", failsafes: 2 });
    expect(of()).toMatchObject({ flight_number: 2, flight_chosen_by: "order" });
  });

  test("ends the flight of a lost vehicle with its last message, whatever the ground station sends after that", () => {
    const sent: { at: number; frame: Buffer }[] = [];
    for (let t = 0; t <= 60; t++) {
      const at = START + micro(t);
      if (t <= 20) sent.push({ at, frame: vehicle.encode(beat(t >= 5, 4)) });
      sent.push({ at, frame: station.encode(build(minimal.Heartbeat, { type: 6, autopilot: 8 })) });
    }
    expect(statsOf(tlog(sent))).toMatchObject({
      ...{ duration_seconds: 15, log_seconds: 20, flight_number: 1, flight_count: 1 },
      modes: [{ name: "GUIDED", seconds: 15 }],
    });
  });

  test("skips frames whose checksum is unknown, and noise", () => {
    const unknown = Buffer.from([0xfd, 4, 0, 0, 0, 3, 1, 0x50, 0xc3, 0x00, 1, 2, 3, 4, 5, 6]);
    const all = frames();
    const clean = tlog([...all.slice(0, 50), { at: START + micro(12), frame: unknown }, ...all.slice(50)]);
    expect(statsOf(clean)).toMatchObject({ complete: true, messages: 61 * 4 + 2 });
    const noisy = Buffer.concat([tlog(all.slice(0, 50)), Buffer.alloc(77, 0xfd), tlog(all.slice(50))]);
    expect(statsOf(noisy)).toMatchObject({ complete: false, damaged_bytes: 77, messages: 61 * 4 + 1 });
  });
});

describe("a PX4 log", () => {
  function log(): Ulog {
    const made = new Ulog()
      .format(
        "vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;uint8_t[5] _padding0;",
      )
      .format("vehicle_global_position:uint64_t timestamp;double lat;double lon;float alt;")
      .format("vehicle_local_position:uint64_t timestamp;float vx;float vy;float vz;")
      .format("part:float voltage_v;float remaining;")
      .format(
        "battery_status:uint64_t timestamp;float voltage_v;float discharged_mah;float remaining;part[2] parts;",
      )
      .subscribe(0, "vehicle_status")
      .subscribe(1, "vehicle_global_position")
      .subscribe(2, "vehicle_local_position")
      .subscribe(3, "battery_status");
    for (let t = 0; t <= 60; t++) {
      made.data(0, "QBBB", micro(t), t < 30 ? 3 : 5, t >= 10 && t < 50 ? 2 : 1, 0);
      made.data(1, "Qddf", micro(t), HOME.lat + t * 3 * NORTH, HOME.lng, 500 + t);
      made.data(2, "Qfff", micro(t), 3, 0, -1);
      made.data(3, "Qfffffff", micro(t), 16 - t / 100, t * 10, 1 - t / 100);
    }
    return made.log(3, micro(61), "Failsafe activated").log(6, micro(61), "logging: stop");
  }

  test("yields the flight while it was armed", () => {
    const stats = statsOf(log().bytes);
    expect(stats).toMatchObject({ format: "ulog", complete: true });
    expect(stats.duration_seconds).toBeCloseTo(40, 3);
    expect(stats.distance_m).toBeCloseTo(117, 0);
    expect(stats.max_altitude_m).toBeCloseTo(39, 3);
    expect(stats.max_speed_ms).toBeCloseTo(3, 5);
    expect(stats.modes.map(({ name }) => name)).toEqual(["AUTO.MISSION", "AUTO.RTL"]);
    expect(stats.battery?.used_mah).toBeCloseTo(390, 3);
    expect(stats.incidents).toMatchObject([{ severity: "failsafe", text: "Failsafe activated" }]);
  });

  test("counts a failsafe once, however often its state is repeated, and only in flight", () => {
    const made = new Ulog()
      .format("vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;")
      .subscribe(0, "vehicle_status");
    const failing = (t: number) => t < 5 || (t >= 20 && t < 30) || (t >= 40 && t < 45);
    for (let t = 0; t <= 60; t++)
      made.data(0, "QBBB", micro(t), 3, t >= 10 && t < 50 ? 2 : 1, failing(t) ? 1 : 0);
    const { failsafes, incidents } = statsOf(made.bytes);
    expect(failsafes).toBe(2);
    expect(incidents).toEqual([{ seconds: -10, severity: "failsafe", text: "Failsafe", count: 3 }]);
  });

  test("measures heights from the home that the vehicle has, and what the battery lost from first to last", () => {
    const made = new Ulog()
      .format("vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;")
      .format("vehicle_global_position:uint64_t timestamp;double lat;double lon;float alt;")
      .format(
        "home_position:uint64_t timestamp;double lat;double lon;float alt;bool valid_alt;bool valid_hpos;",
      )
      .format("battery_status:uint64_t timestamp;float voltage_v;float remaining;")
      .subscribe(0, "vehicle_status")
      .subscribe(1, "vehicle_global_position")
      .subscribe(2, "home_position")
      .subscribe(3, "battery_status");
    made.data(2, "QddfBB", micro(1), 1, 1, 0, 0, 0);
    made.data(2, "QddfBB", micro(1), HOME.lat, HOME.lng, 489, 1, 1);
    for (let t = 1; t <= 30; t++) {
      made.data(0, "QBBB", micro(t), 3, t < 30 ? 2 : 1, 0);
      made.data(1, "Qddf", micro(t), HOME.lat, HOME.lng, 490 + t);
      made.data(3, "Qff", micro(t), 16, t === 2 ? 0.95 : 0.6 - t / 1000);
    }
    const stats = statsOf(made.bytes);
    expect(stats.max_altitude_m).toBe(30);
    expect(stats.battery?.used_percent).toBeCloseTo(2.8, 3);
  });

  test("continues after the next synchronisation mark when its lengths cannot be trusted", () => {
    const sync = Buffer.from([0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12]);
    const whole = statsOf(log().bytes);
    const damaged = new Ulog().raw(Buffer.from([9, 0, 0, 1, 2, 3])).message("S", sync);
    damaged.raw(log().bytes.subarray(16));
    const stats = statsOf(damaged.bytes);
    expect(stats).toMatchObject({ complete: false, damaged_bytes: 6, distance_m: whole.distance_m });
  });

  test("with endlessly nested formats is read without them", () => {
    const hostile = new Ulog()
      .format("vehicle_status:vehicle_status[99999] again;")
      .format("a:")
      .format("b:a[99999] x;")
      .format("battery_status:uint64_t timestamp;b[99999] y;")
      .subscribe(0, "vehicle_status")
      .subscribe(1, "battery_status");
    const from = Date.now();
    expect(statsOf(hostile.data(0, "Q", 1).bytes)).toMatchObject({ duration_seconds: 0, battery: null });
    expect(Date.now() - from).toBeLessThan(2_000);
  });
});

describe("a file that is not a log", () => {
  test("is refused by name", () => {
    for (const bytes of [
      Buffer.from("hello"),
      Buffer.alloc(5_000),
      Buffer.from("PK\u0003\u0004".padEnd(400, "x")),
    ])
      expect(analyse(bytes)).toMatchObject({
        status: "unreadable",
        reason: "foreign",
        error: expect.stringContaining('"flight.bin"'),
      });
    expect(analyse(Buffer.alloc(0))).toMatchObject({ status: "unreadable", reason: "empty" });
  });

  test("never throws, whatever the bytes after a valid header", () => {
    const heads = [flight().bytes.subarray(0, 900), new Ulog().bytes];
    for (let seed = 0; seed < 200; seed++) {
      const random = seededRandom(seed);
      const noise = Buffer.from(Array.from({ length: 3_000 }, () => Math.floor(random() * 256)));
      // Heads of messages among the noise bring it past the first look.
      for (let at = 0; at + 3 < noise.length; at += 1 + Math.floor(random() * 60)) {
        noise[at] = 0xa3;
        noise[at + 1] = 0x95;
        noise[at + 2] = random() < 0.3 ? 0x80 : Math.floor(random() * 10);
      }
      const result = analyse(Buffer.concat([heads[seed % 2]!, noise]));
      expect(["complete", "damaged", "unreadable"]).toContain(result.status);
      expect(() => JSON.stringify(result)).not.toThrow();
    }
  });
});
