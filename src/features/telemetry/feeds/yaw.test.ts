import { compassHeading, YawEstimate } from "./yaw";

/** A level orientation turned about the world's up axis, counter-clockwise from east. */
const turned = (degrees: number) => {
  const half = (degrees * Math.PI) / 360;
  return { x: 0, y: 0, z: Math.sin(half), w: Math.cos(half) };
};

test.each([
  ["east", 0, 90],
  ["north", 90, 0],
  ["west", 180, 270],
  ["south", -90, 180],
  ["north-east", 45, 45],
  ["south-west", -135, 225],
])("a nose that points %s reads so on a compass", (_name, enuYaw, compass) => {
  const heading = compassHeading(turned(enuYaw)) as number;
  expect(Math.abs(((heading - compass + 540) % 360) - 180)).toBeLessThan(1e-9);
  expect(heading).toBeLessThan(360);
  expect(heading).toBeGreaterThanOrEqual(0);
});

test("roll does not turn a nose that points east", () => {
  const half = (20 * Math.PI) / 360;
  expect(compassHeading({ x: Math.sin(half), y: 0, z: 0, w: Math.cos(half) })).toBeCloseTo(90);
});

test("a quaternion that is not of unit length gives the same heading", () => {
  const { x, y, z, w } = turned(30);
  expect(compassHeading({ x: 3 * x, y: 3 * y, z: 3 * z, w: 3 * w })).toBeCloseTo(60);
});

test("a quaternion of no length has no heading", () => {
  expect(compassHeading({ x: 0, y: 0, z: 0, w: 0 })).toBeUndefined();
});

test("the HUD's heading comes before the IMU's", () => {
  const yaw = new YawEstimate();
  yaw.sawOrientation(turned(0), 0);
  expect(yaw.at(0)).toBeCloseTo(90);
  yaw.sawHeading(10, 0);
  expect(yaw.at(0)).toBe(10);
});

test("a heading of 360 is north", () => {
  const yaw = new YawEstimate();
  yaw.sawHeading(360, 0);
  expect(yaw.at(0)).toBe(0);
});

test("the IMU replaces a HUD heading that is two seconds old, and without either there is no heading", () => {
  const yaw = new YawEstimate();
  yaw.sawHeading(10, 0);
  yaw.sawOrientation(turned(90), 3_000);
  expect(yaw.at(3_000)).toBeCloseTo(0);
  expect(yaw.at(6_000)).toBeUndefined();
});
