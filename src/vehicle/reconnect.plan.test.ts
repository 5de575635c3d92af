import { reconnectDelay } from "./reconnect.plan";

const BACKOFF = { firstMs: 500, mostMs: 30_000 };

test("the pause doubles from the first to the most", () => {
  expect([0, 1, 2, 5, 6, 7, 500].map((failed) => reconnectDelay(failed, BACKOFF, 1))).toEqual([
    500, 1000, 2000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test("chance takes away up to half of it", () => {
  expect(reconnectDelay(2, BACKOFF, 0)).toBe(1000);
  expect(reconnectDelay(2, BACKOFF, 0.5)).toBe(1500);
});
