import { fliesMission, modeName, resolveMode, setModeParams, startsWhenArmed } from "./modes";

const copter = { autopilot: "ardupilot", kind: "copter" } as const;
const rover = { autopilot: "ardupilot", kind: "rover" } as const;
const px4 = { autopilot: "px4", kind: "copter" } as const;

test.each([
  [copter, "guided", "GUIDED", 4],
  [copter, "Alt Hold", "ALT_HOLD", 2],
  [copter, "smartrtl", "SMART_RTL", 21],
  [rover, "GUIDED", "GUIDED", 15],
  [rover, "auto", "AUTO", 10],
  [px4, "auto.mission", "AUTO.MISSION", 0x04040000],
  [px4, "Hold", "AUTO.LOITER", 0x03040000],
  [px4, "RTL", "AUTO.RTL", 0x05040000],
  [px4, "OFFBOARD", "OFFBOARD", 0x00060000],
  [copter, 6, "RTL", 6],
  [copter, "9", "LAND", 9],
  [px4, 0x06040000, "AUTO.LAND", 0x06040000],
  [copter, 77, "MODE(77)", 77],
  [px4, "guided", "AUTO.LOITER", 0x03040000],
  [px4, "external 1", "EXTERNAL1", 0x0b040000],
  [px4, "EXTERNAL8", "EXTERNAL8", 0x12040000],
  [px4, 0x0b040000, "EXTERNAL1", 0x0b040000],
])("%o resolves the mode %p to %s", (vehicle, mode, name, customMode) => {
  expect(resolveMode(vehicle, mode)).toEqual({ name, customMode });
});

test("a mode that the vehicle does not have is refused with a list of its modes", () => {
  expect(() => resolveMode(rover, "LAND")).toThrow(/has no mode "LAND".*STEERING/);
  expect(() => resolveMode(copter, -1)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  expect(() => resolveMode(copter, 1.5)).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

test.each([
  [px4, "AUTO.READY", "AUTO.READY"],
  [px4, "orbit", "POSCTL.ORBIT"],
  [px4, "simple", "SIMPLE"],
  [px4, 0x000a0000, "TERMINATION"],
  [px4, "DESCEND", "DESCEND"],
  [rover, 16, "INITIALISING"],
])("%o refuses the mode %p by its name, as no order enters it", (vehicle, mode, name) => {
  expect(() => resolveMode(vehicle, mode)).toThrow(
    expect.objectContaining({ code: "not_supported", message: expect.stringContaining(name) }),
  );
});

test("arming alone sets a vehicle off in its mission, and PX4 in its takeoff", () => {
  expect([startsWhenArmed(copter, 3), startsWhenArmed(rover, 10), startsWhenArmed(copter, 4)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([0x04040000, 0x02040000, 0x03040000].map((mode) => startsWhenArmed(px4, mode))).toEqual([
    true,
    true,
    false,
  ]);
});

test("a mode is sent to PX4 as main and sub mode, to ArduPilot as a number", () => {
  expect(setModeParams(px4, 0x05040000)).toEqual([1, 4, 5]);
  expect(setModeParams(copter, 6)).toEqual([1, 6, 0]);
});

test("only a mode that follows the uploaded plan counts as flying a mission", () => {
  expect([fliesMission(copter, 3), fliesMission(copter, 27), fliesMission(copter, 4)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([fliesMission(rover, 10), fliesMission(rover, 3)]).toEqual([true, false]);
  expect([fliesMission(px4, 0x04040000), fliesMission(px4, 0x03040000)]).toEqual([true, false]);
  expect(modeName(px4, 0x03030000)).toBe("MODE(50528256)");
});
