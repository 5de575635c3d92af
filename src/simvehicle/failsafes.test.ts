import { common } from "../vehicle/mavlink/wire/messages";
import { Bench, home } from "./bench";
import { offsetBy } from "./geo";
import { planItem } from "./ground-station";
import { MissionResult } from "./plan-item";
import { planStore } from "./plan-store";

describe("the ground station's failsafe", () => {
  test("returns when its own station's heartbeat stops, and says so", () => {
    const bench = new Bench({ FS_GCS_ENABLE: 1, FS_GCS_TIMEOUT: 25 });
    bench.heartbeatFrom(255);
    bench.takeOff(3);
    expect(bench.mode).toBe("GUIDED");
    bench.wait(6);
    expect(bench.mode).toBe("RTL");
    expect(bench.texts).toContain("GCS Failsafe - RTL");
    bench.heartbeatFrom(255);
    bench.wait(0.2);
    expect(bench.texts).toContain("GCS Failsafe Cleared");
  });

  test("is not fooled by another system's heartbeat", () => {
    const bench = new Bench({ FS_GCS_ENABLE: 1 });
    bench.heartbeatFrom(255);
    bench.flight.changeMode(bench.flight.modes.byNumber.get(4)!);
    bench.flight.arm();
    bench.flight.startTakeoff(-5);
    bench.wait(4, () => bench.heartbeatFrom(255));
    expect(bench.mode).toBe("GUIDED");
    bench.wait(6, () => bench.heartbeatFrom(245));
    expect(bench.mode).toBe("RTL");
  });

  test("leaves a pilot's mode alone by default, and takes it over when told to", () => {
    for (const [options, expected] of [
      [16, "LOITER"],
      [0, "RTL"],
    ] as const) {
      const bench = new Bench({ FS_GCS_ENABLE: 1, FS_OPTIONS: options, FS_GCS_TIMEOUT: 30 });
      bench.heartbeatFrom(255);
      bench.takeOff(20);
      bench.flight.pilot.override([1500, 1500, 1500, 1500], 0, -1);
      bench.flight.changeMode(bench.flight.modes.byNumber.get(5)!);
      bench.wait(15);
      expect(bench.mode).toBe(expected);
    }
  });

  test("is off by default, and waits until its station was once there", () => {
    const silent = new Bench({ FS_GCS_ENABLE: 1 });
    silent.takeOff(5);
    expect(silent.mode).toBe("GUIDED");
    const off = new Bench();
    off.heartbeatFrom(255);
    off.takeOff(5);
    expect(off.mode).toBe("GUIDED");
  });
});

describe("the fence", () => {
  const circle = [planItem({ command: 5003, param1: 30, x: home.lat * 1e7, y: home.lng * 1e7 })];
  const fenced = (params: Record<string, number>): Bench => {
    const bench = new Bench(params);
    const plan = planStore(bench.flight, common.MavMissionType.FENCE)!;
    expect(plan.finish(circle)).toBe(MissionResult.accepted);
    bench.takeOff(5);
    bench.flight.guided = { kind: "position", n: 60, e: 0, d: -5 };
    return bench;
  };

  test("does nothing until it is enabled", () => {
    const bench = fenced({});
    bench.wait(20);
    expect(bench.mode).toBe("GUIDED");
  });

  test.each([
    [1, "RTL"],
    [2, "LAND"],
    [4, "BRAKE"],
    [0, "GUIDED"],
  ])("with FENCE_ACTION %i ends in %s when it is broken", (action, mode) => {
    const bench = fenced({ FENCE_ENABLE: 1, FENCE_ACTION: action });
    bench.wait(10);
    expect(bench.texts).toContain("Polygon fence breached");
    expect(bench.mode).toBe(mode);
  });

  test("turns down a destination outside of it", () => {
    const bench = fenced({ FENCE_ENABLE: 1 });
    bench.flight.guided = { kind: "hold", n: 0, e: 0, d: -5 };
    const { lat, lng } = offsetBy(home, { n: 100, e: 0 });
    expect(bench.command(192, { _param5: lat, _param6: lng, _param7: 5 })).toBe(4);
  });

  test("bounds the height too", () => {
    const bench = new Bench({ FENCE_ENABLE: 1, FENCE_ALT_MAX: 10 });
    bench.takeOff(9);
    bench.flight.guided = { kind: "position", n: 0, e: 0, d: -20 };
    bench.wait(8);
    expect(bench.texts).toContain("Max Alt fence breached");
    expect(bench.mode).toBe("RTL");
  });
});

test("a battery that runs low warns once and acts as its parameter says", () => {
  const bench = new Bench({ BATT_LOW_VOLT: 11.8, BATT_FS_LOW_ACT: 2 });
  bench.takeOff(5);
  bench.wait(300);
  const warnings = bench.texts.filter((text) => text.startsWith("Battery 1 is low"));
  expect(warnings).toHaveLength(1);
  expect(bench.texts).toContain("Battery Failsafe - RTL");
  expect(bench.flight.armed).toBe(false);
});

test("the charge comes back while the vehicle rests", () => {
  const bench = new Bench();
  bench.flight.battery.used = bench.flight.battery.capacity;
  expect(bench.flight.armed).toBe(false);
  bench.wait(600);
  expect(bench.flight.battery.used).toBeLessThan(bench.flight.battery.capacity * 0.7);
});
