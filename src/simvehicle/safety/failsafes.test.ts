import { offsetBy } from "../../domain/geo";
import { planItem } from "../../testing/fakes/ground-station";
import { home, SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { common } from "../../vehicle/mavlink/wire/messages";
import { MissionResult } from "../missions/plan-item";
import { planStore } from "../missions/plan-store";

describe("the ground station's failsafe", () => {
  test("returns when its own station's heartbeat stops, and reports it", () => {
    const stepped = new SteppedVehicle({ FS_GCS_ENABLE: 1, FS_GCS_TIMEOUT: 25 });
    stepped.heartbeatFrom(255);
    stepped.takeOff(3);
    expect(stepped.mode).toBe("GUIDED");
    stepped.wait(6);
    expect(stepped.mode).toBe("RTL");
    expect(stepped.texts).toContain("GCS Failsafe - RTL");
    stepped.heartbeatFrom(255);
    stepped.wait(0.2);
    expect(stepped.texts).toContain("GCS Failsafe Cleared");
  });

  test("ignores another system's heartbeat", () => {
    const stepped = new SteppedVehicle({ FS_GCS_ENABLE: 1 });
    stepped.heartbeatFrom(255);
    stepped.flight.changeMode(stepped.flight.modes.byNumber.get(4)!);
    stepped.flight.arm();
    stepped.flight.startTakeoff(-5);
    stepped.wait(4, () => stepped.heartbeatFrom(255));
    expect(stepped.mode).toBe("GUIDED");
    stepped.wait(6, () => stepped.heartbeatFrom(245));
    expect(stepped.mode).toBe("RTL");
  });

  test("does not act in a pilot's mode by default, and does when FS_OPTIONS says so", () => {
    for (const [options, expected] of [
      [16, "LOITER"],
      [0, "RTL"],
    ] as const) {
      const stepped = new SteppedVehicle({ FS_GCS_ENABLE: 1, FS_OPTIONS: options, FS_GCS_TIMEOUT: 30 });
      stepped.heartbeatFrom(255);
      stepped.takeOff(20);
      stepped.flight.pilot.steer({ roll: 0, pitch: 0, throttle: 0, yaw: 0 }, 0, -1);
      stepped.flight.changeMode(stepped.flight.modes.byNumber.get(5)!);
      stepped.wait(15);
      expect(stepped.mode).toBe(expected);
    }
  });

  test("is off by default, and acts only after its station was connected once", () => {
    const silent = new SteppedVehicle({ FS_GCS_ENABLE: 1 });
    silent.takeOff(5);
    expect(silent.mode).toBe("GUIDED");
    const off = new SteppedVehicle();
    off.heartbeatFrom(255);
    off.takeOff(5);
    expect(off.mode).toBe("GUIDED");
  });
});

describe("the fence", () => {
  const circle = [planItem({ command: 5003, param1: 30, x: home.lat * 1e7, y: home.lng * 1e7 })];
  const fenced = (params: Record<string, number>): SteppedVehicle => {
    const stepped = new SteppedVehicle(params);
    const plan = planStore(stepped.flight, common.MavMissionType.FENCE)!;
    expect(plan.finish(circle)).toBe(MissionResult.ACCEPTED);
    stepped.takeOff(5);
    stepped.flight.guided = { kind: "position", n: 60, e: 0, d: -5 };
    return stepped;
  };

  test("does nothing until it is enabled", () => {
    const stepped = fenced({});
    stepped.wait(20);
    expect(stepped.mode).toBe("GUIDED");
  });

  test.each([
    [1, "RTL"],
    [2, "LAND"],
    [4, "BRAKE"],
    [0, "GUIDED"],
  ])("with FENCE_ACTION %i ends in %s when it is broken", (action, mode) => {
    const stepped = fenced({ FENCE_ENABLE: 1, FENCE_ACTION: action });
    stepped.wait(10);
    expect(stepped.texts).toContain("Polygon fence breached");
    expect(stepped.mode).toBe(mode);
  });

  test("refuses a target outside of it", () => {
    const stepped = fenced({ FENCE_ENABLE: 1 });
    stepped.flight.guided = { kind: "hold", n: 0, e: 0, d: -5 };
    const { lat, lng } = offsetBy(home, 100, 0);
    expect(stepped.command(192, { _param5: lat, _param6: lng, _param7: 5 })).toBe(4);
  });

  test("limits the height too", () => {
    const stepped = new SteppedVehicle({ FENCE_ENABLE: 1, FENCE_ALT_MAX: 10 });
    stepped.takeOff(9);
    stepped.flight.guided = { kind: "position", n: 0, e: 0, d: -20 };
    stepped.wait(8);
    expect(stepped.texts).toContain("Max Alt fence breached");
    expect(stepped.mode).toBe("RTL");
  });
});

test("a low battery warns once and acts as its parameter says", () => {
  const stepped = new SteppedVehicle({ BATT_LOW_VOLT: 11.8, BATT_FS_LOW_ACT: 2 });
  stepped.takeOff(5);
  stepped.wait(300);
  const warnings = stepped.texts.filter((text) => text.startsWith("Battery 1 is low"));
  expect(warnings).toHaveLength(1);
  expect(stepped.texts).toContain("Battery Failsafe - RTL");
  expect(stepped.flight.armed).toBe(false);
});

test("the battery charges while the vehicle is disarmed", () => {
  const stepped = new SteppedVehicle();
  stepped.flight.battery.used = stepped.flight.battery.capacity;
  expect(stepped.flight.armed).toBe(false);
  stepped.wait(600);
  expect(stepped.flight.battery.used).toBeLessThan(stepped.flight.battery.capacity * 0.7);
});
