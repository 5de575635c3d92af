import type { Socket } from "node:net";
import { Redis } from "ioredis";
import { createLogger } from "../../platform/process/log";
import { openRedis, redisReady } from "../../platform/redis/client";
import { publishTo } from "../../platform/redis/resp";
import { atEndOfFile, freshRedis, redisClient } from "../../testing";
import { commandCalls } from "../../testing/scrape";
import { until } from "../../testing/until";
import { Publisher } from "./publisher";

const STALL_MS = 300;
const quiet = createLogger("test", "silent");

async function start() {
  const { url } = await freshRedis();
  const drone = openRedis(url, quiet);
  await redisReady(drone);
  const received: string[] = [];
  drone.on("message", (_channel, frame) => received.push(frame));
  await drone.subscribe("sticks");
  let downs = 0;
  const publisher = new Publisher(url, {
    ...{ log: quiet, stallMs: STALL_MS, delay: { observe: () => {} } },
    onDown: () => {
      downs += 1;
    },
  });
  atEndOfFile(async () => {
    publisher.stop();
    drone.disconnect();
  });
  await publisher.ready(2_000);
  const publish = (frame: string) =>
    publisher.publish(publishTo("sticks"), Buffer.from(frame), performance.now());
  return { publisher, publish, received, downs: () => downs };
}

test("a frame that was not written when the connection broke is never sent", async () => {
  const { publisher, publish, received, downs } = await start();
  publish("stale");
  (Reflect.get(publisher, "socket") as Socket).destroy();
  await until(() => downs() === 1);
  await until(() => publisher.up);
  publish("fresh");
  await until(() => received.includes("fresh"));
  expect(received).toEqual(["fresh"]);
});

test("a pause of this process is not taken for a stall of Redis", async () => {
  const { publisher, publish, received, downs } = await start();
  publish("before");
  // Written, and not answered yet.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * STALL_MS);
  publish("after");
  await until(() => received.length === 2);
  expect([publisher.up, downs()]).toEqual([true, 0]);
});

test("a refusal of Redis closes the publisher", async () => {
  const server = await freshRedis();
  const admin = await redisClient(server.url);
  await admin.call("ACL", "SETUSER", "mute", "on", ">mute", "resetchannels", "+@all");
  const url = new URL(server.url);
  [url.username, url.password] = ["mute", "mute"];
  let downs = 0;
  const publisher = new Publisher(url.href, {
    log: quiet,
    stallMs: 1_000,
    delay: { observe: () => {} },
    onDown: () => {
      downs += 1;
    },
  });
  atEndOfFile(async () => publisher.stop());
  await publisher.ready(2_000);
  publisher.publish(publishTo("10.71.0.2:gamepad_input"), Buffer.from("stick"), performance.now());
  await until(() => downs === 1);
});

test("Redis is asked once a second while nothing is published", async () => {
  const { url } = await freshRedis();
  const publisher = new Publisher(url, {
    ...{ log: quiet, stallMs: STALL_MS, delay: { observe: () => {} }, onDown: () => {} },
  });
  // It sends no pings of its own.
  const admin = new Redis(url);
  atEndOfFile(async () => {
    publisher.stop();
    admin.disconnect();
  });
  await publisher.ready(2_000);
  const pings = () => commandCalls(admin, "ping");
  const [before, since] = [await pings(), performance.now()];
  await until(async () => (await pings()) >= before + 2);
  expect(performance.now() - since).toBeGreaterThan(900);
});
