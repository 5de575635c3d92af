import { declared, HOME, micro, NORTH, statsOf } from "../testing/analysed-logs";
import type { DataFlashLog } from "../testing/flight-logs";
import type { FlightTime } from "./result";

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

  test("begins each flight in the mode of the record at its arming, not in that of the flight before", () => {
    const log = declared();
    const mode = (at: number, number: number) => log.write("MODE", micro(at), number, number, 0);
    const places = (from: number, to: number) => {
      for (let t = from; t <= to; t++) log.write("POS", micro(t), HOME.lat + t * NORTH, HOME.lng, 500, 1, 1);
    };
    mode(0, 4);
    places(0, 5);
    mode(5, 3);
    places(6, 10);
    log.write("EV", micro(10), 11);
    log.write("EV", micro(100), 10);
    mode(100.002, 0);
    places(101, 103);
    mode(103, 3);
    places(104, 110);
    log.write("EV", micro(110), 11);
    expect(statsOf(log.bytes).modes.map(({ name }) => name)).toEqual(["STABILIZE", "AUTO"]);
  });

  test("gives the one that overlaps the execution most, by GPS time", () => {
    const { bytes } = flights(5);
    for (const n of [1, 2, 3, 4, 5])
      expect(took(bytes, during(10 * n - 11, 10 * n - 9))).toEqual([n, 5, "time"]);
    expect(took(bytes, during(-1, 45))).toEqual([5, 5, "time"]);
  });

  test("gives the last one that ended before the execution did where no flight overlaps it", () => {
    const { bytes } = flights(5);
    expect(took(bytes, during(15, 16))).toEqual([2, 5, "order"]);
    expect(took(bytes, during(99, 100))).toEqual([5, 5, "order"]);
    expect(took(bytes, during(-9, -8))).toEqual([5, 5, "order"]);
  });

  test("of a simulator that is twenty times faster than its GPS gives the one of the GPS time", () => {
    const log = declared();
    for (const [n, from] of [0, 400].entries()) {
      log.write("EV", micro(from), 10).write("ORGN", micro(from), 1, HOME.lat, HOME.lng, HOME.altitude);
      for (let t = 0; t <= 200; t += 20) {
        const clock = BOOT + (from + t) * 50;
        const [week, inWeek] = [Math.floor((clock - GPS_EPOCH) / WEEK), (clock - GPS_EPOCH) % WEEK];
        log.write("GPS", micro(from + t), 0, 3, inWeek, week, 9, 1, HOME.lat, HOME.lng, 500, 1, 0);
        log.write("POS", micro(from + t), HOME.lat + t * (n + 1) * NORTH, HOME.lng, 500, 1, 1);
      }
      log.write("EV", micro(from + 200), 11);
    }
    for (const n of [0, 1]) {
      const flown = { from: BOOT + n * 20_000, to: BOOT + n * 20_000 + 10_000 };
      expect(statsOf(log.bytes, undefined, flown)).toMatchObject({
        ...{ flight_number: n + 1, flight_count: 2, flight_chosen_by: "time" },
        started_at: new Date(flown.from).toISOString(),
      });
    }
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
