import type { Socket } from "node:net";
import { createLogger } from "../platform/process/log";
import { openRedis, redisReady } from "../platform/redis/client";
import { publishTo } from "../platform/redis/resp";
import { atEndOfFile, freshRedis } from "../testing";
import { until } from "../testing/until";
import type { Source } from "./in-flight";
import { Publisher } from "./publisher";
import { Series } from "./tally";

const STALL_MS = 300;
const quiet = createLogger("test", "silent");

async function start() {
  const { url } = await freshRedis();
  const drone = openRedis(url, quiet);
  await redisReady(drone);
  const heard: string[] = [];
  drone.on("message", (_channel, frame) => heard.push(frame));
  await drone.subscribe("sticks");
  let downs = 0;
  const publisher = new Publisher(url, {
    ...{ log: quiet, stallMs: STALL_MS, residence: new Series([1]) },
    onDown: () => {
      downs += 1;
    },
  });
  atEndOfFile(async () => {
    publisher.stop();
    drone.disconnect();
  });
  await publisher.ready(2_000);
  const source: Source = { unacknowledged: 0, pause: () => {}, resume: () => {} };
  const publish = (frame: string) =>
    publisher.publish(source, publishTo("sticks"), Buffer.from(frame), performance.now());
  return { publisher, publish, heard, downs: () => downs };
}

test("a frame that was not written when the connection broke is never sent", async () => {
  const { publisher, publish, heard, downs } = await start();
  publish("stale");
  (Reflect.get(publisher, "socket") as Socket).destroy();
  await until(() => downs() === 1);
  await until(() => publisher.up);
  publish("fresh");
  await until(() => heard.includes("fresh"));
  expect(heard).toEqual(["fresh"]);
});

test("a process that stood still does not take it for a stall of Redis", async () => {
  const { publisher, publish, heard, downs } = await start();
  publish("before");
  // Written, and not answered yet.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * STALL_MS);
  publish("after");
  await until(() => heard.length === 2);
  expect([publisher.up, downs()]).toEqual([true, 0]);
});
