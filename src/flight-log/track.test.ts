import { declared, flight, HOME, micro, NORTH, statsOf, trackOf } from "../testing/analysed-logs";
import { type DataFlashLog, tlog, Ulog } from "../testing/flight-logs";
import { build, FrameWriter } from "../vehicle/mavlink/wire/codec";
import { common, minimal } from "../vehicle/mavlink/wire/messages";
import { FlightTrack } from "./result";

/** The row of a track at this second. */
function rowAt(track: FlightTrack, second: number) {
  const { modes: _, messages: __, ...columns } = track;
  const row = track.seconds.indexOf(second);
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[row]]));
}

const positions = (log: DataFlashLog, from: number, to: number) => {
  for (let t = from; t <= to; t++) log.write("POS", micro(t), HOME.lat + t * NORTH, HOME.lng, 500, t, t);
  return log;
};

describe("a flight over time", () => {
  test("has the positions and the newest measurements of an ArduPilot log", () => {
    const track = trackOf(flight().bytes);
    expect(FlightTrack.parse(track)).toEqual(track);
    expect(track.seconds).toHaveLength(1_101);
    expect([track.seconds[0], track.seconds.at(-1)]).toEqual([0, 110]);
    expect(rowAt(track, 50)).toEqual({
      ...{ seconds: 50, lat: expect.closeTo(HOME.lat + 250 * NORTH, 6), lng: HOME.lng },
      ...{ altitude_m: 20, speed_ms: 5, climb_ms: 0, satellites: 14 },
      // Written at the same time, but behind the position: the one of a second ago.
      ...{ battery_v: expect.closeTo(12.11, 2), vibration_ms2: 3, battery_a: null, battery_percent: null },
    });
    expect(rowAt(track, 105)).toMatchObject({ altitude_m: 10, climb_ms: -2 });
    expect(track.modes).toEqual([
      { seconds: 0, name: "GUIDED" },
      { seconds: 50, name: "RTL" },
    ]);
    expect(track.messages).toEqual([
      { seconds: -9, severity: "info", text: "ArduCopter V4.7.0 (simulated)" },
      { seconds: 80, severity: "failsafe", text: "Battery failsafe" },
    ]);
  });

  test("is of the same flight of the log as the statistics", () => {
    const log = positions(declared().write("MODE", micro(0), 4, 4, 0), 0, 5).write("EV", micro(5), 11);
    log.write("MSG", micro(100), "PreArm: Battery low").write("EV", micro(200), 10);
    log.write("MODE", micro(200.01), 6, 6, 0);
    positions(log, 201, 210).write("EV", micro(210), 11).write("MSG", micro(211), "Landed");
    const track = trackOf(log.bytes);
    expect(statsOf(log.bytes)).toMatchObject({ flight_number: 2, flight_count: 2 });
    expect(track.seconds).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(track.modes).toEqual([{ seconds: 0.01, name: "RTL" }]);
    expect(track.messages.map(({ seconds, text }) => [seconds, text])).toEqual([
      [-100, "PreArm: Battery low"],
      [11, "Landed"],
    ]);
  });

  test("has 4,000 rows at most, of which the statistics have an eighth, and the last position", () => {
    // Above 50 km no altitude is credible.
    const log = positions(declared(), 0, 100_000).bytes;
    const track = trackOf(log);
    expect(track.seconds.length).toBeGreaterThan(2_000);
    expect(track.seconds.length).toBeLessThanOrEqual(4_000);
    expect(track.seconds.at(-1)).toBe(100_000);
    const gaps = track.seconds.slice(1, -1).map((at, n) => at - (track.seconds[n] as number));
    expect(new Set(gaps).size).toBe(1);
    const stats = statsOf(log);
    expect(stats.track.length).toBeGreaterThan(250);
    expect(stats.track.length).toBeLessThanOrEqual(500);
    expect(stats.track[1]?.seconds).toBe((track.seconds[1] as number) * 8);
    expect(stats.series.at(-1)).toMatchObject({ seconds: 100_000, altitude_m: null });
  });

  test("is bounded where a log repeats its messages and modes without an end", () => {
    const log = declared();
    for (let n = 0; n < 2_000; n++) {
      log.write("MSG", micro(n), `PreArm: number ${n}`);
    }
    log.write("EV", micro(2_000), 10);
    for (let n = 0; n < 2_000; n++) {
      log.write("MODE", micro(2_001 + n), n % 5, n % 5, 0);
      log.write("MSG", micro(2_001 + n), `In flight, number ${n}`);
    }
    const { modes, messages } = trackOf(log.write("EV", micro(4_002), 11).bytes);
    expect(modes).toHaveLength(500);
    expect(messages).toHaveLength(500);
    expect(messages[0]?.text).toBe("PreArm: number 1950");
    expect(messages[50]).toEqual({ seconds: 1, severity: "info", text: "In flight, number 0" });
  });

  test("of a vehicle without a position has no rows", () => {
    const track = trackOf(declared().write("EV", micro(1), 10).write("EV", micro(9), 11).bytes);
    expect([track.seconds, track.lat, track.battery_v]).toEqual([[], [], []]);
  });

  test("has what a telemetry log says, with nothing where it says that it does not know", () => {
    const vehicle = new FrameWriter(3, 1);
    const sent: { at: number; frame: Buffer }[] = [];
    for (let t = 0; t <= 10; t++) {
      const say = (message: Parameters<FrameWriter["encode"]>[0]) =>
        sent.push({ at: Date.UTC(2026, 4, 1) * 1000 + micro(t), frame: vehicle.encode(message) });
      say(
        build(minimal.Heartbeat, {
          ...{ type: minimal.MavType.QUADROTOR, autopilot: minimal.MavAutopilot.ARDUPILOTMEGA },
          ...{ baseMode: 0x81 as minimal.MavModeFlag, customMode: 4 },
        }),
      );
      const currentBattery = t < 5 ? -1 : 1_234;
      say(build(common.SysStatus, { voltageBattery: 12_600, batteryRemaining: 77, currentBattery }));
      say(build(common.GlobalPositionInt, { lat: 47e7, lon: 8e7, relativeAlt: 9_000, vx: 300, vz: -100 }));
      if (t === 3) say(build(common.StatusText, { severity: 6, text: "<b>Mission: 1 WP</b>" }));
    }
    const track = trackOf(tlog(sent));
    const row = { lat: 47, lng: 8, altitude_m: 9, speed_ms: 3, climb_ms: 1, battery_v: 12.6 };
    expect(rowAt(track, 4)).toMatchObject({ ...row, battery_percent: 77, battery_a: null });
    expect(rowAt(track, 5)).toMatchObject({ ...row, battery_percent: 77, battery_a: 12.34 });
    expect(track.messages).toEqual([{ seconds: 3, severity: "info", text: "<b>Mission: 1 WP</b>" }]);
  });

  test("has what a PX4 log says", () => {
    const made = new Ulog()
      .format("vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;bool failsafe;")
      .format("vehicle_global_position:uint64_t timestamp;double lat;double lon;float alt;")
      .format("battery_status:uint64_t timestamp;float voltage_v;float current_a;float remaining;")
      .subscribe(0, "vehicle_status")
      .subscribe(1, "vehicle_global_position")
      .subscribe(2, "battery_status");
    for (let t = 0; t <= 10; t++) {
      made.data(0, "QBBB", micro(t), t < 6 ? 3 : 5, t < 10 ? 2 : 1, 0);
      made.data(2, "Qfff", micro(t), 16, t < 5 ? -1 : 12, 0.5);
      made.data(1, "Qddf", micro(t), HOME.lat, HOME.lng, 500 + t);
      if (t === 4) made.log(6, micro(t), "Takeoff detected");
    }
    const track = trackOf(made.bytes);
    expect(rowAt(track, 4)).toMatchObject({ altitude_m: 4, battery_percent: 50, battery_a: null });
    expect(rowAt(track, 5)).toMatchObject({ altitude_m: 5, battery_percent: 50, battery_a: 12 });
    expect(track.modes).toEqual([
      { seconds: 0, name: "AUTO.MISSION" },
      { seconds: 6, name: "AUTO.RTL" },
    ]);
    expect(track.messages).toEqual([{ seconds: 4, severity: "info", text: "Takeoff detected" }]);
  });
});
