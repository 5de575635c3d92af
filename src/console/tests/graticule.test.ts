import { graticule } from "../map/graticule";

const ats = (lines: readonly { at: number }[]) => lines.map(({ at }) => at);

test("a window has four lines from side to side at least, at round degrees, and one beyond each side", () => {
  const { step, meridians, parallels } = graticule({
    ...{ west: 8.5437, east: 8.5479, south: 47.3966, north: 47.3984 },
  });
  expect(step).toBe(0.001);
  expect(ats(meridians)).toEqual([8.543, 8.544, 8.545, 8.546, 8.547, 8.548]);
  expect(ats(parallels)).toEqual([47.396, 47.397, 47.398, 47.399]);
  expect(meridians[2]?.label).toBe("8.545°");
});

test("lines of the whole earth stay on it, and those of the world beside it have their own names", () => {
  const { meridians, parallels } = graticule({ west: -170, east: 250, south: -89, north: 95 });
  expect(ats(parallels)).toEqual([-60, -30, 0, 30, 60]);
  expect(meridians.find(({ at }) => at === 180)?.label).toBe("-180°");
  expect(meridians.find(({ at }) => at === 210)?.label).toBe("-150°");
});
