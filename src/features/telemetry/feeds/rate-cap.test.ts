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
  expect(passed.map(([, value]) => value)).toEqual([1, 2]);
  jest.advanceTimersByTime(199);
  expect(passed).toHaveLength(2);
  jest.advanceTimersByTime(1);
  expect(passed.map(([, value]) => value)).toEqual([1, 2, 5]);
  expect(dropped).toEqual(["gps", "gps"]);
});

test("keys do not wait for each other, and the one that is due first goes first", () => {
  for (const value of [1, 2]) offer("imu", value);
  jest.advanceTimersByTime(40);
  for (const value of [1, 2]) offer("gps", value);
  jest.advanceTimersByTime(5);
  offer("gps", 3);
  offer("imu", 3);
  expect(passed).toHaveLength(4);
  jest.advanceTimersByTime(156);
  expect(passed.slice(4)).toEqual([["imu", 3]]);
  jest.advanceTimersByTime(40);
  expect(passed.slice(5)).toEqual([["gps", 3]]);
});

test("a stream of 50 a second is capped at 10", () => {
  for (let value = 0; value < 100; value++) {
    offer("imu", value);
    jest.advanceTimersByTime(20);
  }
  jest.advanceTimersByTime(200);
  expect(passed.length).toBeGreaterThanOrEqual(20);
  expect(passed.length).toBeLessThanOrEqual(23);
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

/** Values of a stream of 10 a second, named by when they were made, that arrive at these times. */
function arrive(arrivals: readonly (readonly [made: number, at: number])[]) {
  let clock = 0;
  for (const [made, at] of arrivals) {
    jest.advanceTimersByTime(at - clock);
    clock = at;
    offer("gps", made);
  }
  jest.advanceTimersByTime(1_000);
  return passed.map(([, value]) => value);
}

test("of a stream at exactly the rate a value that comes with the next one is not dropped", () => {
  const arrivals = [0, 100, 200, 300, 400, 500].map((made) => [made, made === 200 ? 299 : made] as const);
  expect(arrive(arrivals)).toEqual([0, 100, 200, 300, 400, 500]);
  expect(dropped).toEqual([]);
});

test("a stream at exactly the rate that was late by more loses one value and does not stay late", () => {
  const late = [0, 100, 200, 300].map((made) => [made, Math.max(made, made >= 200 ? 350 : 0)] as const);
  const after = [400, 500, 600, 700].map((made) => [made, made] as const);
  expect(arrive([...late, ...after])).toEqual([0, 100, 200, 300, 500, 600, 700]);
});

test("a closed cap drops the waiting values", () => {
  for (const value of [1, 2, 3]) offer("gps", value);
  cap.close();
  jest.advanceTimersByTime(1_000);
  expect(passed.map(([, value]) => value)).toEqual([1, 2]);
});
