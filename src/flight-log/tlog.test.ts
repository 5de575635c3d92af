import { HOME, micro, NORTH, statsOf } from "../testing/analysed-logs";
import { tlog } from "../testing/flight-logs";
import { build, FrameWriter } from "../vehicle/mavlink/wire/codec";
import { common, minimal } from "../vehicle/mavlink/wire/messages";
import type { FlightTime } from "./result";

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
