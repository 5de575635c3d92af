import { atEndOfFile, freshDatabase, freshRedis } from "../../testing";
import { until } from "../../testing/until";
import { interruptible } from "../../testing/worlds/interruptible";
import { createLogger } from "../process/log";
import { openRedis, redisReady } from "../redis/client";
import { openDatabase } from "./db";

const quiet = createLogger("test", "silent");

test("a database whose machine lost its power is reached again at its successor, over new connections", async () => {
  const cable = await interruptible((await freshDatabase()).url);
  const db = openDatabase(cable.url, { queryTimeoutMs: 500, poolMax: 4 });
  atEndOfFile(() => db.destroy());
  await Promise.all([1, 2, 3, 4].map((n) => db.raw("SELECT pg_sleep(0.1), ?::int", [n])));
  cable.stall();
  await expect(db.raw("SELECT 1")).rejects.toThrow("Query read timeout");
  cable.replace();
  // Each of the four would otherwise keep one of these from its answer.
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => db.raw("SELECT 1")));
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
});

test("a lock whose holder was cut off in the middle of a transaction is another's a little later", async () => {
  const { url } = await freshDatabase();
  const cable = await interruptible(url);
  const [cutOff, other] = [cable.url, url].map((one) => openDatabase(one, { queryTimeoutMs: 2_000 }));
  atEndOfFile(() => Promise.all([cutOff?.destroy(), other?.destroy()]));
  const trx = await cutOff?.transaction();
  await trx?.raw("SELECT pg_advisory_xact_lock(7)");
  cable.stall();
  await expect(other?.raw("SELECT pg_advisory_xact_lock(7)")).rejects.toThrow("Query read timeout");
  await until(async () => (await other?.raw("SELECT pg_try_advisory_xact_lock(7) AS free"))?.rows[0].free);
  await trx?.rollback().catch(() => {});
});

test.each([
  ["commands", {}],
  ["subscriptions", { enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: undefined }],
])("a Redis whose machine lost its power is reached again at its successor: %s", async (kind, options) => {
  const { url } = await freshRedis();
  const cable = await interruptible(url);
  const redis = openRedis(cable.url, quiet, options);
  const direct = openRedis(url, quiet);
  atEndOfFile(async () => {
    redis.disconnect();
    direct.disconnect();
  });
  await Promise.all([redisReady(redis), redisReady(direct)]);
  const heard: string[] = [];
  if (kind === "subscriptions") {
    await redis.subscribe("news");
    redis.on("message", (_channel, text) => heard.push(text));
  }
  cable.stall();
  await until(() => redis.status !== "ready", 15_000);
  cable.replace();
  if (kind === "commands") await until(async () => (await redis.ping()) === "PONG", 15_000);
  else await until(async () => (await direct.publish("news", "back")) > 0 && heard.length > 0, 15_000);
});

test("a connection that a Redis took while it stood still, and never greets, is made anew", async () => {
  const cable = await interruptible((await freshRedis()).url);
  cable.stall();
  const redis = openRedis(cable.url, quiet, { commandTimeout: undefined });
  atEndOfFile(async () => redis.disconnect());
  await until(() => redis.status === "connect");
  cable.replace();
  await until(() => redis.status === "ready", 15_000);
});

test("what was told to have failed is not done when Redis is back", async () => {
  const { url } = await freshRedis();
  const cable = await interruptible(url);
  const redis = openRedis(cable.url, quiet);
  const direct = openRedis(url, quiet);
  atEndOfFile(async () => {
    redis.disconnect();
    direct.disconnect();
  });
  await Promise.all([redisReady(redis), redisReady(direct)]);
  cable.stall();
  await expect(redis.incr("orders")).rejects.toThrow();
  await until(() => redis.status !== "ready", 15_000);
  cable.replace();
  await until(async () => (await redis.ping()) === "PONG", 15_000);
  expect(await direct.get("orders")).toBeNull();
});
