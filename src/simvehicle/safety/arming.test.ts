import { SteppedVehicle } from "../../testing/worlds/stepped-vehicle";

const ARM = { _param1: 1 };

test("arming is refused with the reasons until the checks pass", () => {
  const stepped = new SteppedVehicle({}, 40);
  stepped.wait(10);
  expect(stepped.texts).toContain("PreArm: Need Position Estimate");
  expect(stepped.command(400, ARM)).toBe(4);
  expect(stepped.texts).toContain("Arm: Need Position Estimate");
  expect(stepped.command(176, { _param1: 1, _param2: 4 })).toBe(4);
  expect(stepped.texts).toContain("Mode change to GUIDED failed: requires position");
  stepped.wait(20);
  expect(stepped.texts).toContain("EKF3 IMU0 is using GPS");
  expect(stepped.command(176, { _param1: 1, _param2: 4 })).toBe(0);
  expect(stepped.command(400, ARM)).toBe(4);
  stepped.wait(11);
  expect(stepped.command(400, ARM)).toBe(0);
});

test("failing checks are reported when they are asked for, unless the vehicle is armed", () => {
  const stepped = new SteppedVehicle({}, 3_600);
  const count = () => stepped.texts.filter((text) => text === "PreArm: Need Position Estimate").length;
  const before = count();
  expect(stepped.command(401)).toBe(0);
  expect(count()).toBe(before + 1);
  const armed = new SteppedVehicle();
  armed.command(400, ARM);
  expect(armed.command(401)).toBe(1);
});

test("failing checks are reported again every half minute", () => {
  const stepped = new SteppedVehicle({}, 3_600);
  stepped.wait(65);
  expect(stepped.texts.filter((text) => text === "PreArm: Need Position Estimate")).toHaveLength(3);
});

test("an armed copter that does not take off disarms after ten seconds, unless the throttle is raised", () => {
  const stepped = new SteppedVehicle();
  stepped.command(400, ARM);
  stepped.wait(9);
  expect(stepped.flight.armed).toBe(true);
  stepped.wait(2);
  expect(stepped.flight.armed).toBe(false);
  expect(stepped.texts).toContain("Disarming motors");
  stepped.command(400, ARM);
  stepped.flight.pilot.steer({ roll: 0, pitch: 0, throttle: -0.6, yaw: 0 }, 0, -1);
  stepped.wait(15);
  expect(stepped.flight.armed).toBe(true);
});

test("after an hour of suspend the vehicle is where it was", () => {
  const stepped = new SteppedVehicle();
  stepped.takeOff(5);
  stepped.flight.guided = { kind: "position", n: 10_000, e: 0, d: -5 };
  stepped.wait(5);
  const { n } = stepped.flight.body;
  stepped.sleep(3600);
  expect(stepped.flight.body.n - n).toBeLessThan(20);
});
