import { missionItem } from "../testing/worlds/plans";
import { fenceAreas } from "./fence-areas";

const circle = (command: number, radius: number) => missionItem({ command, param1: radius });
const square = (command: number) => [1, 2, 3, 4].map((x_lat) => missionItem({ command, param1: 4, x_lat }));

test("a fence is read as its areas, without a return point", () => {
  const returnPoint = missionItem({ command: 5000 });
  const fence = [...square(5001), returnPoint, circle(5004, 30), ...square(5002)];
  expect(fenceAreas(fence)).toEqual([
    { type: "polygon", fence_type: "inclusion", items: fence.slice(0, 4), start: 0 },
    { type: "circle", fence_type: "exclusion", items: fence.slice(5, 6), start: 5 },
    { type: "polygon", fence_type: "exclusion", items: fence.slice(6), start: 6 },
  ]);
});

test.each([Number.NaN, -1, 0, 1e9])(
  "a polygon that says it has %d vertices ends with the fence",
  (param1) => {
    const vertices = square(5001).map((vertex) => ({ ...vertex, param1 }));
    const areas = fenceAreas([...vertices, circle(5003, 100)]);
    expect(areas.flatMap(({ items }) => items).slice(0, 4)).toEqual(vertices);
    expect(areas.at(-1)).toMatchObject({ type: "circle", start: 4 });
  },
);
