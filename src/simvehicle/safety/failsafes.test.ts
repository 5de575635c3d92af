import { offsetBy } from "../../domain/geo";
import { planItem } from "../../testing/fakes/ground-station";
import { home, SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { build } from "../../vehicle/mavlink/wire/codec";
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

describe("PX4 without its sticks", () => {
  const [POSCTL, AUTO] = [3, 4];
  const [LOITER, LAND] = [3, 6];
  const setMode = (stepped: SteppedVehicle, main: number, sub = 0) =>
    stepped.command(176, { _param1: 1, _param2: main, _param3: sub });
  const steer = (stepped: SteppedVehicle) =>
    stepped.vehicle.receive(build(common.ManualControl, { target: 1, x: 0, y: 0, z: 1000, r: 0 }), {
      systemId: 245,
      componentId: 190,
    });
  /** In the air by the sticks, which are let go of now. */
  const steered = (params: Record<string, number> = {}): SteppedVehicle => {
    const stepped = new SteppedVehicle(params, 0, "px4");
    expect([setMode(stepped, POSCTL), stepped.command(400, { _param1: 1 })]).toEqual([0, 0]);
    stepped.wait(20, () => steer(stepped));
    expect([stepped.mode, stepped.flight.landed]).toEqual(["POSCTL", false]);
    return stepped;
  };
  const failsafes = ({ texts }: SteppedVehicle) => texts.filter((text) => text.startsWith("Failsafe"));

  test("holds after COM_RC_LOSS_T, and returns after COM_FAIL_ACT_T of that", () => {
    const stepped = steered();
    stepped.wait(0.3);
    expect(stepped.mode).toBe("POSCTL");
    stepped.wait(0.4);
    expect(stepped.mode).toBe("AUTO_LOITER");
    stepped.wait(4.5);
    expect(stepped.mode).toBe("AUTO_LOITER");
    expect(failsafes(stepped)).toEqual(["Failsafe activated: entering Hold for 5 seconds\t"]);
    stepped.wait(0.5);
    expect(stepped.mode).toBe("AUTO_RTL");
    expect(failsafes(stepped).at(-1)).toBe("Failsafe activated\t");
  });

  test.each([
    [0, "POSCTL"],
    [1, "AUTO_LOITER"],
    [2, "AUTO_RTL"],
    [3, "AUTO_LAND"],
  ])("with NAV_RCL_ACT %i ends in %s", (NAV_RCL_ACT, mode) => {
    const stepped = steered({ NAV_RCL_ACT });
    stepped.wait(7);
    expect(stepped.mode).toBe(mode);
    expect(failsafes(stepped)).toHaveLength(NAV_RCL_ACT === 0 ? 0 : 2);
  });

  test("acknowledges a mode while it holds, and enters it afterwards", () => {
    const stepped = steered();
    stepped.wait(1);
    expect(setMode(stepped, AUTO, LAND)).toBe(0);
    stepped.wait(3);
    expect(stepped.mode).toBe("AUTO_LOITER");
    stepped.wait(2);
    expect(stepped.mode).toBe("AUTO_LAND");
    expect(failsafes(stepped)).toHaveLength(1);
  });

  test("goes on in a mode that no sticks fly", () => {
    const stepped = steered();
    expect(setMode(stepped, AUTO, LOITER)).toBe(0);
    stepped.wait(10);
    expect([stepped.mode, failsafes(stepped)]).toEqual(["AUTO_LOITER", []]);
  });

  test("goes on when no sticks ever came", () => {
    const stepped = new SteppedVehicle({ COM_DISARM_PRFLT: -1 }, 0, "px4");
    expect([setMode(stepped, POSCTL), stepped.command(400, { _param1: 1 })]).toEqual([0, 0]);
    stepped.wait(10);
    expect([stepped.mode, failsafes(stepped)]).toEqual(["POSCTL", []]);
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

  test.each([
    [1, "GUIDED", "RTL"],
    [2, "GUIDED", "RTL"],
    [3, "GUIDED", "RTL"],
    [0, "GUIDED", "GUIDED"],
  ])("with FENCE_AUTOENABLE %i ends %s in %s when it is broken", (auto, before, after) => {
    const stepped = fenced({ FENCE_AUTOENABLE: auto });
    expect(stepped.mode).toBe(before);
    stepped.wait(10);
    expect(stepped.mode).toBe(after);
  });

  /** As SYS_STATUS shows it. */
  const isEnabled = (stepped: SteppedVehicle): boolean => {
    stepped.command(512, { _param1: common.SysStatus.MSG_ID });
    const status = stepped.sent.filter((each) => each instanceof common.SysStatus).at(-1);
    return ((status?.onboardControlSensorsEnabled ?? 0) & common.MavSysStatusSensor.GEOFENCE) !== 0;
  };

  test.each([
    [0, [false, false, false]],
    [1, [false, false, true]],
    [2, [false, false, true]],
    [3, [false, true, true]],
  ])("with FENCE_AUTOENABLE %i is enabled disarmed, armed and in the air: %j", (auto, enabled) => {
    const stepped = new SteppedVehicle({ FENCE_AUTOENABLE: auto });
    const shown = [isEnabled(stepped)];
    stepped.flight.arm();
    shown.push(isEnabled(stepped));
    stepped.takeOff(5);
    shown.push(isEnabled(stepped));
    expect(shown).toEqual(enabled);
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
