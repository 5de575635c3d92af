import { freshRedis, redisClient } from "../../testing";
import { CapturedLog } from "../../testing/captured-log";
import { createLogger } from "../process/log";
import { warnOfSettings } from "./server-settings";

async function warnings(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const { url } = await freshRedis();
  const redis = await redisClient(url);
  for (const [name, value] of Object.entries(settings)) await redis.config("SET", name, value);
  const kept = new CapturedLog();
  await warnOfSettings(redis, createLogger("test", "warn", kept));
  return kept.text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg);
}

test.each([
  { policy: "volatile-lru", maxmemory: "100mb", warned: 1 },
  { policy: "noeviction", maxmemory: "100mb", warned: 0 },
  // It is never full.
  { policy: "volatile-lru", maxmemory: "0", warned: 0 },
])("$policy with maxmemory $maxmemory is logged $warned times", async ({ policy, maxmemory, warned }) => {
  expect(await warnings({ "maxmemory-policy": policy, maxmemory })).toEqual(
    Array(warned).fill("Redis evicts keys when it is full; set its maxmemory-policy to noeviction"),
  );
});

test.each<Record<string, string>>([
  { "maxmemory-clients": "0" },
  { "client-output-buffer-limit": "pubsub 0 0 0" },
])("a Redis with %j is logged", async (settings) => {
  expect(await warnings(settings)).toEqual([
    expect.stringMatching(/^Redis has no limit on its clients' memory/),
  ]);
});
