import { HOME, micro, NORTH, statsOf } from "../testing/analysed-logs";
import { Ulog } from "../testing/flight-logs";

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

  test.each([
    [8, "ALTITUDE_CRUISE"],
    [12, "DESCEND"],
    [22, "AUTO.VTOL_TAKEOFF"],
    [23, "EXTERNAL1"],
    [30, "EXTERNAL8"],
  ])("names the mode of the navigation state %i %s", (state, name) => {
    const made = new Ulog()
      .format("vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;")
      .subscribe(0, "vehicle_status");
    for (let t = 0; t <= 10; t++) made.data(0, "QBBB", micro(t), state, t < 10 ? 2 : 1, 0);
    expect(statsOf(made.bytes).modes).toMatchObject([{ name }]);
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
