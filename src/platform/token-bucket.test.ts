import { TokenBucket } from "./token-bucket";

test("a second's worth is free at once; more has to be waited for, and no more than a second's is saved", () => {
  jest.useFakeTimers();
  const bucket = new TokenBucket(1_000);
  expect(bucket.take(1_000)).toBe(0);
  expect(bucket.take(500)).toBe(500);
  jest.advanceTimersByTime(250);
  expect(bucket.take(0)).toBe(250);
  jest.advanceTimersByTime(60_000);
  expect(bucket.take(1_000)).toBe(0);
  expect(bucket.take(1)).toBe(1);
  jest.useRealTimers();
});
