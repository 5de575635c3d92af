import { Redis } from "ioredis";
import { freshRedis } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { until } from "../../testing/until";
import { createLogger } from "../process/log";
import { Subscriber } from "./subscriber";

/** A subscriber, and an operator who publishes, sets its rights and ends its connection. */
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
    say: (channel: string, message: string) => operator.publish(channel, message),
  };
}

test("a channel is received again after its connection broke, each message once", async () => {
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

test("a subscription that Redis refuses is requested again until Redis accepts it, on the same connection", async () => {
  const { subscriber, allow, listeners, endConnections } = await subscriberAndOperator();
  for (const channel of ["low", "high"]) subscriber.onMessage(channel, () => {});
  await until(async () => (await listeners("high")) === 1);
  await allow("-subscribe");
  await endConnections();
  await until(() => subscriber.connection.status === "ready");
  const refused = await subscriber.connection.subscribe("other").catch((error: Error) => error);
  expect(String(refused)).toContain("NOPERM");
  expect(await listeners("low")).toBe(0);
  await allow("+subscribe");
  await until(async () => (await listeners("low")) + (await listeners("high")) === 2);
});

test("a channel that was unsubscribed is not subscribed on the next connection", async () => {
  const { subscriber, listeners, endConnections } = await subscriberAndOperator();
  subscriber.onMessage("kept", () => {});
  const leave = subscriber.onMessage("left", () => {});
  await until(async () => (await listeners("left")) === 1);
  leave();
  await until(async () => (await listeners("left")) === 0);
  await endConnections();
  await until(async () => (await listeners("kept")) === 1);
  expect(await listeners("left")).toBe(0);
});
