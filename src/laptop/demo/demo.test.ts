import { distance, offsetBy } from "../../domain/geo";
import { freshFolder } from "../../testing";
import { runDemo } from ".";
import { fencePoints, missionPoints } from "./route";
import { positionLine } from "./screen";

const home = { lat: 47.397742, lng: 8.545594 };

test("without a running stack the demonstration says how to start one", async () => {
  await expect(runDemo(["--state", freshFolder("state")])).rejects.toThrow("npm start");
});

test("the route stays inside its fence and off the ground", () => {
  const reach = Math.max(...missionPoints(1, home).map((point) => distance(home, point)));
  const nearestFence = Math.min(...fencePoints(1, home).map((point) => distance(home, point))) / Math.SQRT2;
  expect(reach).toBeLessThan(nearestFence);
  expect(missionPoints(1, home).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
});

test("an offset position is as many metres away as its offset", () => {
  expect(distance(home, offsetBy(home, 30, 40))).toBeCloseTo(50, 3);
});

test("a position is one line, with a question mark for unknown values", () => {
  const seen = {
    position: offsetBy(home, 30, 40),
    altitude: 20.04,
    speed: 9.81,
    battery: null,
    mode: "AUTO",
  };
  expect(positionLine(seen, home)).toBe(
    "  AUTO         50 m from home    20.0 m up    9.8 m/s  battery   ? %",
  );
});
