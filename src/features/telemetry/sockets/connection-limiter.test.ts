import { createMetrics } from "../../../platform/process/metrics";
import { Quotas } from "../../../platform/quotas/quotas";
import type { Redis } from "../../../platform/redis/client";
import { ConnectionLimiter } from "./connection-limiter";

const quotas = (sockets: number) =>
  new Quotas({ sockets }, { redis: {} as Redis, registry: createMetrics("test") });

test("a connection is released for the user who opened it, though the token has expired since", () => {
  let valid = true;
  const limiter = new ConnectionLimiter(10, quotas(1), () => (valid ? { id: 7 } : undefined));
  const url = "/socket.io/?token=some";
  const release = limiter.acquire(url);
  expect(() => limiter.check(url)).toThrow(expect.objectContaining({ code: "too_many_requests" }));
  expect(limiter.count(7)).toBe(1);
  valid = false;
  release();
  valid = true;
  expect(() => limiter.check(url)).not.toThrow();
});

test("a user has the quota, clients without a valid token have a tenth together", () => {
  const limiter = new ConnectionLimiter(100, quotas(50), (token) => ({ id: Number(token) }));
  const connected = (token: string) => {
    let count = 0;
    try {
      for (; ; count++) {
        limiter.check(`/socket.io/?token=${token}`);
        limiter.acquire(`/socket.io/?token=${token}`);
      }
    } catch {
      return count;
    }
  };
  expect(["7", "", "8"].map(connected)).toEqual([50, 10, 40]);
  expect(() => limiter.check("/socket.io/?token=9")).toThrow("Too many sockets.");
});
