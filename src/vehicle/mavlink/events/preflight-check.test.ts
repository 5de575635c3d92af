import { build } from "../wire/codec";
import { Event } from "../wire/messages";
import { hasMode, preflightCheck } from "./preflight-check";

const POSCTL = 196_608;
const MISSION = 67_371_008;
/** An event of the autopilot's with modes, a component and these bytes of its own. */
const event = (id: number, own: readonly number[] = [], logLevels = 0x33, modes = 0xffffffff) => {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(modes);
  const args = [...head, ...own];
  return build(Event, {
    id: 0x1_00_00_00 + id,
    logLevels,
    arguments: [...args, ...Array(40 - args.length).fill(0)],
  });
};
const float = (value: number): number[] => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [...bytes];
};

test("a check is named with its parameters, its severity and its modes", () => {
  const check = preflightCheck(event(7_959_667, [], 0x63, 0b1000));
  expect(check).toEqual({
    text: "Vehicle is in safety configuration (COM_ARMABLE)",
    severity: 3,
    modes: 0b1000,
  });
  expect(hasMode(check!.modes, MISSION)).toBe(true);
  expect(hasMode(check!.modes, POSCTL)).toBe(false);
  expect(hasMode(check!.modes, 12)).toBeUndefined();
});

test.each([
  ["a number", 1_326_449, [2], "Gyro 2 uncalibrated"],
  [
    "a number with its sign",
    3_713_724,
    [0xf6],
    "Companion computer temperature warning, -10 C (COM_CC_TEMP_WARN)",
  ],
  ["two bytes", 5_273_740, [0x2c, 0x01], "Compass inconsistent by 300 degrees (COM_ARM_MAG_ANG)"],
  ["decimals", 1_058_956, float(97.26), "CPU load too high: 97.3% (IMU_GYRO_RATEMAX, COM_CPU_MAX)"],
  [
    "a unit",
    11_413_600,
    float(12.5),
    "Wind speed is above limit (12.5 m/s) (COM_WIND_MAX, COM_WIND_MAX_ACT)",
  ],
  ["texts", 15_602_498, [1, 3, 1], "Battery 1: Battery reported over-current. Land now!"],
  ["a value without a text", 15_602_498, [1, 99, 0], "Battery 1: 99. "],
])("its message has %s of its arguments", (_what, id, own, text) => {
  expect(preflightCheck(event(id, own))?.text).toBe(text);
});

test("an event of another component, or that the table lacks, is no check", () => {
  expect(preflightCheck(build(Event, { ...event(7_959_667), id: 0x2_00_00_00 + 7_959_667 }))).toBeUndefined();
  expect(preflightCheck(event(1))).toBeUndefined();
});
