import { Redis } from "ioredis";
import { freshRedis } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { until } from "../../testing/until";
import { createLogger } from "../process/log";
import { Subscriber } from "./subscriber";

/** A subscriber, and somebody who may speak, set its rights and end its connection. */
async function subscriberAndOperator() {
  const { url } = await freshRedis();
  const operator = new Redis(url);
  const subscriber = new Subscriber(url, createLogger("test", "silent"));
  atEndOfFile(async () => {
    operator.disconnect();
    subscriber.close();
  });
  return {
    subscriber,
    allow: (right: string) => operator.call("ACL", "SETUSER", "default", right),
    endConnections: () => operator.call("CLIENT", "KILL", "SKIPME", "yes"),
    listeners: async (channel: string) => ((await operator.pubsub("NUMSUB", channel)) as [string, number])[1],
    listenersInShard: async (channel: string) =>
      ((await operator.pubsub("SHARDNUMSUB", channel)) as [string, number])[1],
    say: (channel: string, message: string) => operator.publish(channel, message),
  };
}

test("a channel is heard again when its connection broke, each message once", async () => {
  const { subscriber, listeners, say, endConnections } = await subscriberAndOperator();
  const heard: string[] = [];
  subscriber.onMessage("kites", (message) => heard.push(message));
  await until(async () => (await listeners("kites")) === 1);
  await say("kites", "first");
  await endConnections();
  await until(async () => (await say("kites", "second")) === 1);
  await say("kites", "third");
  await until(() => heard.includes("third"));
  expect(heard).toEqual(["first", "second", "third"]);
});

test("what Redis refuses is asked for until it no longer does, on the same connection", async () => {
  const { subscriber, allow, listenersInShard, endConnections } = await subscriberAndOperator();
  for (const channel of ["low", "high"]) subscriber.ssubscribe(channel);
  await until(async () => (await listenersInShard("high")) === 1);
  await allow("-ssubscribe");
  await endConnections();
  await until(() => subscriber.connection.status === "ready");
  const refused = await subscriber.connection.ssubscribe("other").catch((error: Error) => error);
  expect(String(refused)).toContain("NOPERM");
  expect(await listenersInShard("low")).toBe(0);
  await allow("+ssubscribe");
  await until(async () => (await listenersInShard("low")) + (await listenersInShard("high")) === 2);
});

test("a channel that was left is not asked for on the next connection", async () => {
  const { subscriber, listenersInShard, endConnections } = await subscriberAndOperator();
  for (const channel of ["kept", "left"]) subscriber.ssubscribe(channel);
  await until(async () => (await listenersInShard("left")) === 1);
  subscriber.sunsubscribe(["left"]);
  await until(async () => (await listenersInShard("left")) === 0);
  await endConnections();
  await until(async () => (await listenersInShard("kept")) === 1);
  expect(await listenersInShard("left")).toBe(0);
});
