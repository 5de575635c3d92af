import { Redis } from "ioredis";
import { atEndOfFile, freshFolder } from "../../testing";
import { freePort } from "../free-port";
import { type RedisOptions, startRedis } from "./redis";

async function start(options: RedisOptions) {
  const server = await startRedis(options);
  atEndOfFile(() => server.stop());
  return server;
}

async function using<Result>(url: string, use: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

test("a durable Redis finds its keys after a stop and a second start", async () => {
  const options = { folder: freshFolder("redis"), durable: true };
  const first = await start(options);
  await using(first.url, (redis) => redis.set("answer", "42"));
  await first.stop();
  const second = await start(options);
  expect(await using(second.url, (redis) => redis.get("answer"))).toBe("42");
});

test("a Redis that is not durable starts empty", async () => {
  const options = { folder: freshFolder("redis"), durable: false };
  const first = await start(options);
  await using(first.url, (redis) => redis.set("answer", "42"));
  await first.stop();
  const second = await start(options);
  expect(await using(second.url, (redis) => redis.get("answer"))).toBeNull();
});

test("a server that was left running in the folder is ended", async () => {
  const options = { folder: freshFolder("redis"), durable: true };
  const leftBehind = await start(options);
  const second = await start(options);
  expect(await leftBehind.ended).toContain("Redis ended");
  expect(await using(second.url, (redis) => redis.ping())).toBe("PONG");
});

test("a taken port is named", async () => {
  const port = await freePort();
  await start({ folder: freshFolder("redis"), durable: false, port });
  await expect(startRedis({ folder: freshFolder("redis"), durable: false, port })).rejects.toThrow(
    `Port ${port}, which Redis needs, is taken`,
  );
});

test("a missing redis-server is named with the package that has it", async () => {
  const path = process.env.PATH;
  process.env.PATH = "/nonexistent";
  try {
    await expect(startRedis({ folder: freshFolder("redis"), durable: false })).rejects.toThrow(
      "apt-get install redis-server",
    );
  } finally {
    process.env.PATH = path;
  }
});
