import { atEndOfFile, freshDatabase, freshRedis } from "../../testing";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { createLogger } from "../process/log";
import { openRedis, redisReady } from "../redis/client";
import { openDatabase } from "./db";

const quiet = createLogger("test", "silent");

test("after a failover the database's successor is reached over new connections", async () => {
  const link = await interruptibleLink((await freshDatabase()).url);
  const db = openDatabase(link.url, { queryTimeoutMs: 500, poolMax: 4 });
  atEndOfFile(() => db.destroy());
  await Promise.all([1, 2, 3, 4].map((n) => db.raw("SELECT pg_sleep(0.1), ?::int", [n])));
  link.stall();
  await expect(db.raw("SELECT 1")).rejects.toThrow("Query read timeout");
  link.replace();
  // Each of the four would otherwise keep one of these from its answer.
  const answers = await Promise.allSettled([1, 2, 3, 4].map(() => db.raw("SELECT 1")));
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
});

test("a lock of a holder that was cut off during a transaction is released soon", async () => {
  const { url } = await freshDatabase();
  const link = await interruptibleLink(url);
  const [cutOff, other] = [link.url, url].map((one) => openDatabase(one, { queryTimeoutMs: 2_000 }));
  atEndOfFile(() => Promise.all([cutOff?.destroy(), other?.destroy()]));
  const trx = await cutOff?.transaction();
  await trx?.raw("SELECT pg_advisory_xact_lock(7)");
  link.stall();
  await expect(other?.raw("SELECT pg_advisory_xact_lock(7)")).rejects.toThrow("Query read timeout");
  await until(async () => (await other?.raw("SELECT pg_try_advisory_xact_lock(7) AS free"))?.rows[0].free);
  await trx?.rollback().catch(() => {});
});

test.each([
  ["commands", {}],
  ["subscriptions", { enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: undefined }],
])("after a failover the successor of Redis is reached: %s", async (kind, options) => {
  const { url } = await freshRedis();
  const link = await interruptibleLink(url);
  const redis = openRedis(link.url, quiet, options);
  const direct = openRedis(url, quiet);
  atEndOfFile(async () => {
    redis.disconnect();
    direct.disconnect();
  });
  await Promise.all([redisReady(redis), redisReady(direct)]);
  const received: string[] = [];
  if (kind === "subscriptions") {
    await redis.subscribe("news");
    redis.on("message", (_channel, text) => received.push(text));
  }
  link.stall();
  await until(() => redis.status !== "ready", 15_000);
  link.replace();
  if (kind === "commands") await until(async () => (await redis.ping()) === "PONG", 15_000);
  else await until(async () => (await direct.publish("news", "back")) > 0 && received.length > 0, 15_000);
});

test("a connection that Redis accepted while it was paused, and never answers, is replaced", async () => {
  const link = await interruptibleLink((await freshRedis()).url);
  link.stall();
  const redis = openRedis(link.url, quiet, { commandTimeout: undefined });
  atEndOfFile(async () => redis.disconnect());
  await until(() => redis.status === "connect");
  link.replace();
  await until(() => redis.status === "ready", 15_000);
});

test("a command that was reported as failed is not carried out when Redis is back", async () => {
  const { url } = await freshRedis();
  const link = await interruptibleLink(url);
  const redis = openRedis(link.url, quiet);
  const direct = openRedis(url, quiet);
  atEndOfFile(async () => {
    redis.disconnect();
    direct.disconnect();
  });
  await Promise.all([redisReady(redis), redisReady(direct)]);
  link.stall();
  await expect(redis.incr("orders")).rejects.toThrow();
  await until(() => redis.status !== "ready", 15_000);
  link.replace();
  await until(async () => (await redis.ping()) === "PONG", 15_000);
  expect(await direct.get("orders")).toBeNull();
});
