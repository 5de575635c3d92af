import { common } from "../wire/messages";
import { assertParamFits, readParamValue, writeParamValue } from "./param-value";

const { MavParamType } = common;

const written = (value: number, type: number, autopilot: "ardupilot" | "px4"): Buffer => {
  const payload = Buffer.alloc(25);
  writeParamValue(payload, value, type, autopilot);
  return payload;
};

test("ArduPilot writes an integer as a float's value: 5 is 40 a0 00 00", () => {
  const payload = written(5, MavParamType.INT8, "ardupilot");
  expect(payload.subarray(0, 4).toString("hex")).toBe("0000a040");
  expect(readParamValue(payload, MavParamType.INT8, "ardupilot")).toBe(5);
});

test("PX4 writes an integer's own bytes: 5 is 05 00 00 00, and -1 is all ones", () => {
  expect(written(5, MavParamType.INT32, "px4").subarray(0, 4).toString("hex")).toBe("05000000");
  expect(written(-1, MavParamType.INT32, "px4").subarray(0, 4).toString("hex")).toBe("ffffffff");
});

test.each([
  [MavParamType.INT32, -1],
  [MavParamType.INT32, 2_147_483_647],
  [MavParamType.REAL32, -1.5],
])("a value of PX4's type %i is unchanged after encoding and decoding: %d", (type, value) => {
  expect(readParamValue(written(value, type, "px4"), type, "px4")).toBe(value);
});

test("a value that the type cannot hold is refused before it is sent", () => {
  expect(() => assertParamFits("X", 128, MavParamType.INT8)).toThrow(/-128 to 127/);
  expect(() => assertParamFits("X", 1.5, MavParamType.INT32)).toThrow(/whole numbers/);
  expect(() => assertParamFits("X", Number.NaN, MavParamType.REAL32)).toThrow(/needs a number/);
  expect(() => assertParamFits("X", 1.5, MavParamType.REAL32)).not.toThrow();
  expect(() => assertParamFits("X", -128, MavParamType.INT8)).not.toThrow();
});
