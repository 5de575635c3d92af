import { planItem } from "../../testing/fakes/ground-station";
import { MissionResult, type PlanItem } from "../missions/plan-item";
import { breaksFence, readFence } from "./fence";

const square = (command: number, count = 4, north = 0) =>
  [
    [north, 0],
    [north, 10],
    [north + 10, 10],
    [north + 10, 0],
  ].map(([lat, lng]) => planItem({ command, param1: count, x: lat! * 1e7, y: lng! * 1e7 }));

const fenceOf = (items: readonly PlanItem[], autopilot: "ardupilot" | "px4" = "ardupilot") => {
  const fence = readFence(items);
  if (!("shapes" in fence)) throw new Error("refused");
  return { autopilot, fence: fence.shapes };
};

test("an inclusion is breached outside it and an exclusion inside it", () => {
  const [inclusion, exclusion] = [fenceOf(square(5001)), fenceOf(square(5002))];
  expect(breaksFence(inclusion, { lat: 5, lng: 5 })).toBe(false);
  expect(breaksFence(inclusion, { lat: 15, lng: 5 })).toBe(true);
  expect(breaksFence(exclusion, { lat: 5, lng: 5 })).toBe(true);
  expect(breaksFence(exclusion, { lat: 15, lng: 5 })).toBe(false);
});

test("of two inclusions ArduPilot must be in both, and PX4 in one", () => {
  const both = [...square(5001), ...square(5001, 4, 5)];
  const breaches = (autopilot: "ardupilot" | "px4") =>
    [2, 7, 12, 17].map((lat) => breaksFence(fenceOf(both, autopilot), { lat, lng: 5 }));
  expect(breaches("ardupilot")).toEqual([true, false, true, true]);
  expect(breaches("px4")).toEqual([false, false, false, true]);
  const zone = fenceOf([...square(5001), ...square(5002, 4, 5)], "px4");
  expect(breaksFence(zone, { lat: 7, lng: 5 })).toBe(true);
});

test("a circle keeps its radius in metres", () => {
  const circle = fenceOf([planItem({ command: 5003, param1: 100, x: 47e7, y: 8e7 })]);
  expect(breaksFence(circle, { lat: 47.0008, lng: 8 })).toBe(false);
  expect(breaksFence(circle, { lat: 47.001, lng: 8 })).toBe(true);
});

test.each([
  ["too few vertices", square(5001, 2), "Invalid vertex count (2)"],
  ["fewer vertices than promised", square(5001, 5), "Incorrect item count"],
  ["a circle without a radius", [planItem({ command: 5004, param1: 0 })], "Non-positive circle radius"],
  [
    "another kind amid a polygon",
    [...square(5001).slice(0, 3), ...square(5002).slice(3)],
    "Received incorrect vertex type (want=5001 got=5002)",
  ],
])("a fence with %s is refused whole, with a status text", (_, items, because) => {
  expect(readFence(items)).toEqual({ refused: MissionResult.ERROR, because });
});
