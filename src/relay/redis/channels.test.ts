import { Redis } from "ioredis";
import { createLogger } from "../../platform/process/log";
import { openRedis, redisReady } from "../../platform/redis/client";
import { freshRedis } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { until } from "../../testing/until";
import { Channels } from "./channels";

async function start() {
  const { url } = await freshRedis();
  const operator = new Redis(url);
  const redis = openRedis(url, createLogger("test", "silent"), { autoResubscribe: false });
  atEndOfFile(async () => {
    operator.disconnect();
    redis.disconnect();
  });
  await redisReady(redis);
  return { operator, channels: new Channels(redis, () => {}), isUp: () => redis.status === "ready" };
}

test("a channel that Redis refused can be joined when Redis accepts it", async () => {
  const { operator, channels } = await start();
  await operator.call("ACL", "SETUSER", "default", "-subscribe");
  await expect(channels.join(["sticks"], () => {})).rejects.toThrow("NOPERM");
  await operator.call("ACL", "SETUSER", "default", "+subscribe");
  await channels.join(["sticks"], () => {});
  expect(await operator.publish("sticks", "a frame")).toBe(1);
});

test("a late refusal does not affect a listener that joined the channel meanwhile", async () => {
  const { operator, channels } = await start();
  await operator.call("ACL", "SETUSER", "default", "resetchannels", "&sticks");
  const received: string[] = [];
  const gone = () => {};
  const refused = expect(channels.join(["sticks", "another's"], gone)).rejects.toThrow("NOPERM");
  channels.leave(["sticks", "another's"], gone);
  await channels.join(["sticks"], (message) => received.push(String(message)));
  await refused;
  expect(await operator.publish("sticks", "a frame")).toBe(1);
  await until(() => received.length > 0);
  expect(received).toEqual(["a frame"]);
});

test("a channel whose subscription was lost with the connection can be joined again, also by other listeners", async () => {
  const { operator, channels, isUp } = await start();
  await channels.join(["sticks"], () => {});
  await operator.call("CLIENT", "KILL", "TYPE", "pubsub");
  await until(async () => (await operator.pubsub("NUMSUB", "sticks"))[1] === 0 && isUp());
  const received: string[] = [];
  await channels.join(["sticks"], (message) => received.push(String(message)));
  expect(await operator.publish("sticks", "a frame")).toBe(1);
  await until(() => received.length > 0);
});
