import { type Demand, groundSpeed, type Limits, restingBody, stepCopter, stepRover } from "./kinematics";

const limits: Limits = { speed: 10, speedUp: 2.5, speedDown: 1.5, accel: 2.5, accelZ: 1, yawRate: 1 };
const STEP = 0.02;

function fly(seconds: number, demand: Demand, step = stepCopter) {
  const body = restingBody();
  let fastest = 0;
  let hardest = 0;
  for (let time = 0; time < seconds; time += STEP) {
    const before = { vn: body.vn, ve: body.ve };
    step(body, demand, limits, STEP);
    fastest = Math.max(fastest, groundSpeed(body));
    hardest = Math.max(hardest, Math.hypot(body.vn - before.vn, body.ve - before.ve) / STEP);
  }
  return { body, fastest, hardest };
}

test("a copter reaches its target, stops there, and keeps its limits on the way", () => {
  const { body, fastest, hardest } = fly(40, { kind: "position", n: 120, e: -90, d: -20 });
  expect(body.n).toBeCloseTo(120, 1);
  expect(body.e).toBeCloseTo(-90, 1);
  expect(body.d).toBeCloseTo(-20, 1);
  expect(groundSpeed(body)).toBeLessThan(0.05);
  expect(fastest).toBeGreaterThan(9.5);
  expect(fastest).toBeLessThanOrEqual(10.01);
  expect(hardest).toBeLessThanOrEqual(2.51);
});

test("a copter never overshoots its target by more than a hand's breadth", () => {
  const body = restingBody();
  let furthest = 0;
  for (let time = 0; time < 30; time += STEP) {
    stepCopter(body, { kind: "position", n: 50, e: 0, d: 0 }, limits, STEP);
    furthest = Math.max(furthest, body.n);
  }
  expect(furthest).toBeGreaterThan(49.9);
  expect(furthest).toBeLessThan(50.1);
});

test("a climb keeps to the speed upwards", () => {
  const { body } = fly(5, { kind: "position", n: 0, e: 0, d: -100 });
  expect(body.vd).toBeGreaterThanOrEqual(-2.5);
  expect(body.vd).toBeLessThan(-2.4);
});

test("a copter leans forward to accelerate north when it looks north", () => {
  const { body } = fly(1, { kind: "velocity", vn: 10, ve: 0, vd: 0 });
  expect(body.pitch).toBeLessThan(-0.1);
  expect(Math.abs(body.roll)).toBeLessThan(0.01);
});

test("a rover moves along its nose only and turns towards its target first", () => {
  const body = restingBody();
  stepRover(body, { kind: "position", n: -20, e: 0, d: 0 }, limits, STEP);
  expect(groundSpeed(body)).toBeLessThan(0.01);
  for (let time = 0; time < 30; time += STEP) {
    stepRover(body, { kind: "position", n: -20, e: 0, d: 0 }, limits, STEP);
    const aside = -body.vn * Math.sin(body.yaw) + body.ve * Math.cos(body.yaw);
    expect(Math.abs(aside)).toBeLessThan(1e-6);
  }
  expect(body.n).toBeCloseTo(-20, 0);
});
