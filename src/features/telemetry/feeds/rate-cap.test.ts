import { RateCap } from "./rate-cap";

const passed: [key: string, value: number][] = [];
const dropped: string[] = [];
let cap: RateCap<string, number>;
const offer = (key: string, value: number) => cap.offer(key, value, performance.now());

beforeEach(() => {
  jest.useFakeTimers();
  passed.length = 0;
  dropped.length = 0;
  cap = new RateCap(
    10,
    (key, value) => passed.push([key, value]),
    (key) => dropped.push(key),
  );
});
afterEach(() => {
  cap.close();
  jest.useRealTimers();
});

test("the first value passes at once", () => {
  offer("gps", 1);
  expect(passed).toEqual([["gps", 1]]);
});

test("the newest value of a flood passes at its end, and the others are counted as dropped", () => {
  for (let value = 1; value <= 5; value++) offer("gps", value);
  expect(passed).toEqual([["gps", 1]]);
  jest.advanceTimersByTime(150);
  expect(passed).toEqual([
    ["gps", 1],
    ["gps", 5],
  ]);
  expect(dropped).toEqual(["gps", "gps", "gps"]);
});

test("keys do not wait for each other, and the one that is due first goes first", () => {
  offer("imu", 1);
  jest.advanceTimersByTime(40);
  offer("gps", 1);
  jest.advanceTimersByTime(5);
  offer("gps", 2);
  offer("imu", 2);
  expect(passed).toHaveLength(2);
  jest.advanceTimersByTime(106);
  expect(passed.slice(2)).toEqual([["imu", 2]]);
  jest.advanceTimersByTime(40);
  expect(passed.slice(3)).toEqual([["gps", 2]]);
});

test("a stream of 50 a second is capped at 10", () => {
  for (let value = 0; value < 100; value++) {
    offer("imu", value);
    jest.advanceTimersByTime(20);
  }
  jest.advanceTimersByTime(200);
  expect(passed.length).toBeGreaterThanOrEqual(20);
  expect(passed.length).toBeLessThanOrEqual(22);
  expect(passed.at(-1)).toEqual(["imu", 99]);
  expect(passed.length + dropped.length).toBe(100);
});

test("a stream at exactly the rate passes without drops, with jitter too", () => {
  for (let value = 0; value < 50; value++) {
    offer("gps", value);
    jest.advanceTimersByTime(value % 2 ? 120 : 80);
  }
  expect(passed).toHaveLength(50);
  expect(dropped).toEqual([]);
});

test("a stream at exactly the rate that was late once does not stay late", () => {
  const arrivals = [0, 100, 277, 300, 400, 500, 600];
  let clock = 0;
  const passedAtOnce: number[] = [];
  for (const at of arrivals) {
    jest.advanceTimersByTime(at - clock);
    clock = at;
    const before = passed.length;
    offer("gps", at);
    passedAtOnce.push(passed.length - before);
  }
  expect(passed.map(([, value]) => value)).toEqual([0, 100, 277, 400, 500, 600]);
  expect(passedAtOnce).toEqual([1, 1, 1, 0, 1, 1, 1]);
  expect(dropped).toEqual(["gps"]);
});

test("a closed cap drops the waiting values", () => {
  offer("gps", 1);
  offer("gps", 2);
  cap.close();
  jest.advanceTimersByTime(1_000);
  expect(passed).toEqual([["gps", 1]]);
});
