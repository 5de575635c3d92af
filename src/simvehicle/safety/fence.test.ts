import { planItem } from "../../testing/fakes/ground-station";
import { MissionResult } from "../missions/plan-item";
import { breaksFence, readFence } from "./fence";

const square = (command: number, count = 4) =>
  [
    [0, 0],
    [0, 10],
    [10, 10],
    [10, 0],
  ].map(([lat, lng]) => planItem({ command, param1: count, x: lat! * 1e7, y: lng! * 1e7 }));

test("an inclusion is breached outside it and an exclusion inside it", () => {
  const inclusion = readFence(square(5001));
  const exclusion = readFence(square(5002));
  if (!("shapes" in inclusion) || !("shapes" in exclusion)) throw new Error("refused");
  expect(breaksFence(inclusion.shapes, { lat: 5, lng: 5 })).toBe(false);
  expect(breaksFence(inclusion.shapes, { lat: 15, lng: 5 })).toBe(true);
  expect(breaksFence(exclusion.shapes, { lat: 5, lng: 5 })).toBe(true);
  expect(breaksFence(exclusion.shapes, { lat: 15, lng: 5 })).toBe(false);
});

test("a circle keeps its radius in metres", () => {
  const fence = readFence([planItem({ command: 5003, param1: 100, x: 47e7, y: 8e7 })]);
  if (!("shapes" in fence)) throw new Error("refused");
  expect(breaksFence(fence.shapes, { lat: 47.0008, lng: 8 })).toBe(false);
  expect(breaksFence(fence.shapes, { lat: 47.001, lng: 8 })).toBe(true);
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
