import { backoffMs, retry } from "./retry";

const failing = (times: number) => {
  let calls = 0;
  const attempt = async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return calls;
  };
  return { attempt, calls: () => calls };
};

test("pauses double from the first to the longest", () => {
  expect([1, 2, 3, 4, 100].map((failures) => backoffMs(failures, 50, 300))).toEqual([50, 100, 200, 300, 300]);
  expect(backoffMs(0, 50, 300)).toBe(50);
});

test("an attempt that fails is repeated until it succeeds", async () => {
  const { attempt } = failing(3);
  expect(await retry(attempt, { firstMs: 1, limitMs: 10_000 })).toBe(4);
});

test("it rejects with the last error when the time is over", async () => {
  const { attempt, calls } = failing(1_000_000);
  await expect(retry(attempt, { firstMs: 2, limitMs: 300 })).rejects.toThrow(/^failure \d+$/);
  expect(calls()).toBeGreaterThan(1);
});

test("a permanent error ends it at once", async () => {
  const { attempt, calls } = failing(5);
  const isTransient = () => false;
  await expect(retry(attempt, { firstMs: 1, limitMs: 10_000, isTransient })).rejects.toThrow("failure 1");
  expect(calls()).toBe(1);
});

test("an aborted signal ends the pause, and no further attempt follows the one after it", async () => {
  const ended = new AbortController();
  const { attempt, calls } = failing(5);
  const done = retry(attempt, { firstMs: 60_000, limitMs: 120_000, signal: ended.signal });
  setImmediate(() => ended.abort());
  await expect(done).rejects.toThrow("failure 2");
  expect(calls()).toBe(2);
});
