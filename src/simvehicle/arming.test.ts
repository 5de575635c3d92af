import { Bench } from "./bench";

const ARM = { _param1: 1 };
const FORCE_ARM = { _param1: 1, _param2: 2989 };

test("arming is refused with the reasons until the checks pass", () => {
  const bench = new Bench({}, 40);
  bench.wait(10);
  expect(bench.texts).toContain("PreArm: Need Position Estimate");
  expect(bench.command(400, ARM)).toBe(4);
  expect(bench.texts).toContain("Arm: Need Position Estimate");
  expect(bench.command(176, { _param1: 1, _param2: 4 })).toBe(4);
  expect(bench.texts).toContain("Mode change to GUIDED failed: requires position");
  bench.wait(20);
  expect(bench.texts).toContain("EKF3 IMU0 is using GPS");
  expect(bench.command(176, { _param1: 1, _param2: 4 })).toBe(0);
  expect(bench.command(400, ARM)).toBe(4);
  bench.wait(11);
  expect(bench.command(400, ARM)).toBe(0);
});

test("a force arms before the checks pass, but not against a broken part", () => {
  const bench = new Bench({}, 40);
  bench.vehicle.faults.refuseArming = "Compass not calibrated";
  expect(bench.command(400, FORCE_ARM)).toBe(4);
  bench.vehicle.faults.refuseArming = "";
  expect(bench.command(400, FORCE_ARM)).toBe(0);
});

test("what it waits for is said again every half minute", () => {
  const bench = new Bench();
  bench.vehicle.faults.refuseArming = "Compass not calibrated";
  bench.wait(65);
  expect(bench.texts.filter((text) => text === "PreArm: Compass not calibrated")).toHaveLength(3);
});

test("a copter that was armed for nothing disarms after ten seconds, unless the throttle is raised", () => {
  const bench = new Bench();
  bench.command(400, ARM);
  bench.wait(9);
  expect(bench.flight.armed).toBe(true);
  bench.wait(2);
  expect(bench.flight.armed).toBe(false);
  expect(bench.texts).toContain("Disarming motors");
  bench.command(400, ARM);
  bench.flight.pilot.override([1500, 1500, 1200, 1500], 0, -1);
  bench.wait(15);
  expect(bench.flight.armed).toBe(true);
});

test("a computer that slept for an hour finds the vehicle where it was", () => {
  const bench = new Bench();
  bench.takeOff(5);
  bench.flight.guided = { kind: "velocity", vn: 5, ve: 0, vd: 0, until: Number.POSITIVE_INFINITY };
  bench.wait(5);
  const { n } = bench.flight.body;
  bench.sleep(3600);
  expect(bench.flight.body.n - n).toBeLessThan(20);
});
