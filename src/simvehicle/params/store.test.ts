import { definitionsFor } from "./definitions";
import { coerce, ParamStore, ParamType } from "./store";

const storeOf = (kind: "copter" | "rover", autopilot: "ardupilot" | "px4" = "ardupilot") =>
  new ParamStore(definitionsFor({ kind, autopilot, systemId: 7 }));

test.each([
  ["an ArduPilot copter", storeOf("copter"), 150],
  ["an ArduPilot rover", storeOf("rover"), 150],
  ["a PX4 copter", storeOf("copter", "px4"), 100],
  ["a PX4 rover", storeOf("rover", "px4"), 100],
])("%s has a long list of parameters, all with names that fit the wire", (_, store, least) => {
  expect(store.all.length).toBeGreaterThan(least);
  expect(store.all.filter(({ name }) => name.length > 16)).toEqual([]);
});

test("an integer parameter rounds and stays in its range", () => {
  expect(coerce(ParamType.INT8, 2.6)).toBe(3);
  expect(coerce(ParamType.INT8, 300)).toBe(127);
  expect(coerce(ParamType.REAL32, 0.1)).toBe(Math.fround(0.1));
});
