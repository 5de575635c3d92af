import { missionItem } from "../../../testing/worlds/plans";
import { isOutsideFence } from "./fence.plan";

const position = { lat: 47.5, lng: 8.5 };
const circle = (command: number, lat: number, radius = 100) =>
  missionItem({ command, param1: radius, x_lat: lat, y_long: 8.5 });
const square = (command: number, lat: number) =>
  [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
  ].map(([north = 0, east = 0]) =>
    missionItem({ command, param1: 4, x_lat: lat + north / 1000, y_long: 8.5 + east / 1000 }),
  );

test.each([
  ["nothing", [], false, false],
  ["a circle around it", [circle(5003, 47.5)], false, false],
  ["a circle elsewhere", [circle(5003, 47.6)], true, true],
  ["a forbidden circle around it", [circle(5004, 47.5)], true, true],
  ["a square around it", square(5001, 47.5), false, false],
  ["a forbidden square around it", square(5002, 47.5), true, true],
  ["a forbidden square elsewhere", square(5002, 47.6), false, false],
  ["a square around it and one elsewhere", [...square(5001, 47.5), ...square(5001, 47.6)], true, false],
  ["a square elsewhere and a circle around it", [...square(5001, 47.6), circle(5003, 47.5)], true, false],
])("a position is outside of %s", (_, fence, ardupilot, px4) => {
  expect(isOutsideFence(fence, position, "ardupilot")).toBe(ardupilot);
  expect(isOutsideFence(fence, position, "px4")).toBe(px4);
});
