import { Redis } from "ioredis";
import { createLogger } from "../platform/log";
import { openRedis, redisReady } from "../platform/redis";
import { freshRedis } from "../testing";
import { atEndOfFile } from "../testing/clean-up";
import { Channels } from "./channels";

test("who joins a channel that Redis refused before joins it when Redis no longer does", async () => {
  const { url } = await freshRedis();
  const operator = new Redis(url);
  const redis = openRedis(url, createLogger("test", "silent"), { autoResubscribe: false });
  atEndOfFile(async () => {
    operator.disconnect();
    redis.disconnect();
  });
  await redisReady(redis);
  const channels = new Channels(redis, () => {});
  await operator.call("ACL", "SETUSER", "default", "-subscribe");
  await expect(channels.join(["sticks"], () => {})).rejects.toThrow("NOPERM");
  await operator.call("ACL", "SETUSER", "default", "+subscribe");
  await channels.join(["sticks"], () => {});
  expect(await operator.publish("sticks", "a frame")).toBe(1);
});
