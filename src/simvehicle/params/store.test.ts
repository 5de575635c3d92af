import { definitionsFor } from "./index";
import { bytewiseFloat, bytewiseValue } from "./param-protocol";
import { coerce, ParamStore, ParamType } from "./store";
import { tuningOf } from "./tuning";

const storeOf = (
  kind: "copter" | "rover",
  autopilot: "ardupilot" | "px4" = "ardupilot",
  firmware: "4.6" | "4.7" = "4.7",
) => new ParamStore(definitionsFor({ kind, autopilot, firmware, systemId: 7 }));

test.each([
  ["an ArduPilot copter", storeOf("copter"), 500],
  ["an ArduPilot copter before 4.7", storeOf("copter", "ardupilot", "4.6"), 500],
  ["an ArduPilot rover", storeOf("rover"), 400],
  ["a PX4 copter", storeOf("copter", "px4"), 300],
])("%s has a few hundred parameters, all with names that fit the wire", (_, store, least) => {
  expect(store.all.length).toBeGreaterThan(least);
  expect(store.all.filter(({ name }) => name.length > 16)).toEqual([]);
});

test("an integer parameter rounds and stays in its range", () => {
  expect(coerce(ParamType.int8, 2.6)).toBe(3);
  expect(coerce(ParamType.int8, 300)).toBe(127);
  expect(coerce(ParamType.float, 0.1)).toBe(Math.fround(0.1));
});

test("the releases before 4.7 name and scale the same settings otherwise", () => {
  const now = storeOf("copter");
  const before = storeOf("copter", "ardupilot", "4.6");
  expect(now.get("WP_SPD")).toBe(10);
  expect(before.get("WPNAV_SPEED")).toBe(1000);
  expect(before.find("WP_SPD")).toBeUndefined();
  expect(before.get("SR0_POSITION", -1)).toBe(0);
  expect(now.get("MAV_SYSID")).toBe(7);
  expect(before.get("SYSID_THISMAV")).toBe(7);
  expect(tuningOf(before)).toEqual(tuningOf(now));
});

test("PX4 carries an integer's bytes in the float", () => {
  expect(bytewiseFloat(ParamType.int32, 1)).not.toBe(1);
  expect(bytewiseFloat(ParamType.float, 1.5)).toBe(1.5);
  for (const value of [0, 1, 21_196, -1_234_567]) {
    expect(bytewiseValue(ParamType.int32, bytewiseFloat(ParamType.int32, value))).toBe(value);
  }
});
