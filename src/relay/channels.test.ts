import { Redis } from "ioredis";
import { createLogger } from "../platform/log";
import { openRedis, redisReady } from "../platform/redis";
import { freshRedis } from "../testing";
import { atEndOfFile } from "../testing/clean-up";
import { until } from "../testing/until";
import { Channels } from "./channels";

/** Channels over one connection, and somebody who may speak, set its rights and end it. */
async function channelsAndOperator() {
  const { url } = await freshRedis();
  const operator = new Redis(url);
  const redis = openRedis(url, createLogger("test", "silent"), { autoResubscribe: false });
  atEndOfFile(async () => {
    operator.disconnect();
    redis.disconnect();
  });
  await redisReady(redis);
  return {
    redis,
    operator,
    channels: new Channels(redis, () => {}),
    allow: (right: string) => operator.call("ACL", "SETUSER", "default", right),
  };
}

test("a channel that is kept is heard again when Redis refused it for a while", async () => {
  const { redis, operator, channels, allow } = await channelsAndOperator();
  const heard: string[] = [];
  channels.keep("kept", (message) => heard.push(message.toString()));
  await until(async () => (await operator.publish("kept", "first")) === 1);
  await allow("-subscribe");
  await operator.call("CLIENT", "KILL", "SKIPME", "yes");
  await until(async () => redis.status === "ready" && channels.size === 0);
  await allow("+subscribe");
  await until(async () => (await operator.publish("kept", "second")) === 1);
  await until(() => heard.includes("second"));
  expect(heard).toEqual(["first", "second"]);
});

test("who joins a channel that Redis refused before joins it when Redis no longer does", async () => {
  const { operator, channels, allow } = await channelsAndOperator();
  await allow("-subscribe");
  await expect(channels.join(["sticks"], () => {})).rejects.toThrow("NOPERM");
  await allow("+subscribe");
  await channels.join(["sticks"], () => {});
  expect(await operator.publish("sticks", "a frame")).toBe(1);
});
