import { atEndOfFile, freshRedis } from "../../testing";
import { CapturedLog } from "../../testing/captured-log";
import { createLogger } from "../process/log";
import { openRedis, redisReady } from "./client";
import { warnOfEviction } from "./eviction-policy";

test.each([
  { policy: "volatile-lru", maxmemory: "100mb", warned: 1 },
  { policy: "noeviction", maxmemory: "100mb", warned: 0 },
  // It is never full.
  { policy: "volatile-lru", maxmemory: "0", warned: 0 },
])("$policy with maxmemory $maxmemory is logged $warned times", async ({ policy, maxmemory, warned }) => {
  const { url } = await freshRedis();
  const redis = openRedis(url, createLogger("test", "silent"));
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  await redis.config("SET", "maxmemory-policy", policy);
  await redis.config("SET", "maxmemory", maxmemory);
  const kept = new CapturedLog();
  await warnOfEviction(redis, createLogger("test", "warn", kept));
  const said = kept.entries("Redis evicts keys when it is full; set its maxmemory-policy to noeviction");
  expect(said.map((entry) => entry.policy)).toEqual(Array(warned).fill(policy));
});
