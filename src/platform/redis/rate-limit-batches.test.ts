import { freshRedis, redisClient } from "../../testing/fresh-servers";
import { commandCalls } from "../../testing/scrape";
import { until } from "../../testing/until";
import { RateLimit } from "./rate-limit";

/** Processes that share one limit in one Redis, which takes ten tries at once. */
async function processes(count: number, tries: number) {
  const server = await freshRedis();
  const redis = await redisClient(server.url);
  const limits: RateLimit[] = [];
  for (let at = 0; at < count; at++)
    limits.push(
      new RateLimit(await redisClient(server.url), { name: "orders", tries, seconds: 60, batch: 10 }),
    );
  const exchanges = () => commandCalls(redis, "incrby");
  return { server, redis, exchanges, limits: limits as [RateLimit, RateLimit] };
}

const isTaken = (limit: RateLimit, key = "7") =>
  limit.take(key).then(
    () => true,
    (error: { code?: string; retryAfterSeconds?: number }) => {
      expect(error).toMatchObject({ code: "too_many_requests", retryAfterSeconds: expect.any(Number) });
      return false;
    },
  );

/** How many of so many tries, one after another, are allowed. */
async function allowed(limit: RateLimit, tries: number, key?: string): Promise<number> {
  let count = 0;
  for (let at = 0; at < tries; at++) if (await isTaken(limit, key)) count++;
  return count;
}

test.each([2, 10, 15, 105])("a single process is allowed a limit of %d exactly", async (tries) => {
  const { limits } = await processes(1, tries);
  expect(await allowed(limits[0], tries + 25)).toBe(tries);
  expect(await allowed(limits[0], tries + 25, "8")).toBe(tries);
});

test("fifty tries at once are allowed the limit exactly, and wait for the same batch", async () => {
  const { limits, exchanges } = await processes(1, 15);
  const taken = await Promise.all(Array.from({ length: 50 }, () => isTaken(limits[0])));
  expect(taken.filter(Boolean)).toHaveLength(15);
  // Two batches, and a refusal that all others share.
  expect(await exchanges()).toBe(3);
});

test("a try of a batch costs no exchange with Redis", async () => {
  const { limits, exchanges } = await processes(1, 600);
  await limits[0].take("7");
  const before = await exchanges();
  expect(await allowed(limits[0], 9)).toBe(9);
  expect(await exchanges()).toBe(before);
  await limits[0].take("7");
  expect(await exchanges()).toBe(before + 1);
});

test("two processes together are allowed no more than the limit, and one refuses at most nine early", async () => {
  const { limits } = await processes(2, 35);
  const [one, other] = limits;
  expect(await allowed(other, 1)).toBe(1);
  expect(await allowed(one, 50)).toBe(25);
  expect(await allowed(other, 50)).toBe(9);
});

test("two processes that take turns, and at once, are allowed the limit exactly", async () => {
  const { limits } = await processes(2, 35);
  const turns = Array.from({ length: 100 }, (_, at) => limits[at % 2] as RateLimit);
  const one = (await Promise.all(turns.map((limit) => isTaken(limit)))).filter(Boolean).length;
  let next = 0;
  for (const limit of turns) if (await isTaken(limit, "8")) next++;
  expect([one, next]).toEqual([35, 35]);
});

test("what is held ends with its window", async () => {
  const { limits, redis } = await processes(1, 15);
  const [limit] = limits;
  // A window that ends soon.
  await redis.set("limit:orders:7", 0, "PX", 1_000);
  await limit.take("7");
  await until(async () => (await redis.exists("limit:orders:7")) === 0);
  expect(await limit.used("7")).toBe(0);
  // All of the new window's, and none of the nine that the old one left.
  expect(await allowed(limit, 15)).toBe(15);
  expect(await isTaken(limit)).toBe(false);
});

test("used are the tries that were made, not those that this process holds", async () => {
  const { limits } = await processes(2, 15);
  const [one, other] = limits;
  await one.take("7");
  expect(await one.used("7")).toBe(1);
  await one.check("7");
  expect(await other.used("7")).toBe(10);
  expect(await allowed(one, 10)).toBe(10);
  expect(await one.used("7")).toBe(11);
  expect(await allowed(one, 10)).toBe(4);
  expect(await one.used("7")).toBe(15);
  await expect(one.check("7")).rejects.toMatchObject({ code: "too_many_requests" });
});

test("what is held is forgotten with the tries of a key", async () => {
  const { limits } = await processes(1, 15);
  await limits[0].take("7");
  await limits[0].forgive("7");
  expect(await limits[0].used("7")).toBe(0);
  expect(await allowed(limits[0], 20)).toBe(15);
});

test("while Redis is away a process is allowed what it holds and the limit", async () => {
  const { limits, server } = await processes(1, 15);
  const [limit] = limits;
  await limit.take("7");
  await server.stop();
  expect(await allowed(limit, 40)).toBe(9 + 15);
  expect(await allowed(limit, 40, "8")).toBe(15);
});
