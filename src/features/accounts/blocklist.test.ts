import { type Db, openDatabase } from "../../platform/postgres/db";
import { systemClock } from "../../platform/process/clock";
import { createLogger } from "../../platform/process/log";
import { openRedis, type Redis, redisReady } from "../../platform/redis/client";
import { atEndOfFile, freshDatabase, freshRedis } from "../../testing";
import { redisBlocklist } from "./blocklist";
import { revokedTokens } from "./revoked-tokens.store";

let db: Db;
let redis: Redis;
beforeAll(async () => {
  db = openDatabase((await freshDatabase()).url);
  redis = openRedis((await freshRedis()).url, createLogger("test", "silent"));
  atEndOfFile(async () => {
    redis.disconnect();
    await db.destroy();
  });
  await redisReady(redis);
});

test("a log-out at a replica whose clock is ahead outlasts the token by the others' clocks", async () => {
  const ahead = { now: () => new Date(Date.now() + 9 * 60_000) };
  const blocklist = redisBlocklist(redis, ahead, revokedTokens(db));
  const inTenMinutes = Math.floor(Date.now() / 1000) + 600;
  await blocklist.add("logged out early", inTenMinutes);
  expect(await redis.ttl("blocklist:logged out early")).toBeGreaterThanOrEqual(600);
  const expired = { now: () => new Date((inTenMinutes + 60) * 1000) };
  expect((await revokedTokens(db).kept(expired.now(), "", 1_000)).map(({ jti }) => jti)).toContain(
    "logged out early",
  );
});

test("what was listed and lost while tens of thousands are listed anew is listed again", async () => {
  const expires_at = new Date(Date.now() + 600_000);
  const all = Array.from({ length: 2_500 }, (_, n) => ({ jti: `token ${1_000 + n}`, expires_at }));
  let parts = 0;
  const revoked = {
    keep: async () => true,
    kept: async (_now: Date, after: string, limit: number) => {
      if (++parts === 3) await redis.flushall();
      return all.filter(({ jti }) => jti > after).slice(0, limit);
    },
  };
  await redis.flushall();
  const blocklist = redisBlocklist(redis, systemClock, revoked);
  const asked = ["token 1000", "token 2500", "token 3499"];
  expect(await blocklist.listed([...asked, "another"])).toEqual(asked);
  expect(parts).toBe(6);
});

test("a list that Redis has lost half-way for older data is made again", async () => {
  await redis.flushall();
  const first = redisBlocklist(redis, systemClock, revokedTokens(db));
  expect(await first.has("a token")).toBe(false);
  const older = await redis.dumpBuffer("blocklist-complete");
  await first.add("a token", Math.floor(Date.now() / 1000) + 600);
  const replaced = redis.duplicate();
  await redisReady(replaced);
  const evaluate = replaced.eval.bind(replaced) as (...given: unknown[]) => Promise<unknown>;
  jest.spyOn(replaced, "eval").mockImplementationOnce((async (...given: unknown[]) => {
    await redis.flushall();
    await redis.restore("blocklist-complete", 0, older as Buffer);
    return evaluate(...given);
  }) as never);
  const second = redisBlocklist(replaced, systemClock, revokedTokens(db));
  expect(await second.has("a token")).toBe(true);
  replaced.disconnect();
});
