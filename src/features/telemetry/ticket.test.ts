import { createLogger } from "../../platform/process/log";
import { openRedis, redisReady } from "../../platform/redis/client";
import { freshRedis } from "../../testing";
import { atEndOfFile } from "../../testing/clean-up";
import { AWAY_MS, KEEP_MS, memoryRecovery, type Recovery, type Remembered, redisRecovery } from "./recovery";
import { Ticket } from "./ticket";
import type { Watcher } from "./watcher";

const remembered: Remembered = {
  user_id: 1,
  socket_id: "a socket",
  streams: [{ drone_id: 7, stream_type: "gps" }],
};

/** A fake of a watcher's socket: it keeps the ticket that it was given. */
function watched(recovery: Recovery) {
  const given: string[] = [];
  const socket = { id: "a socket", emit: (_event: string, id: string) => given.push(id) };
  const streams = [{ droneId: 7, stream: "gps" }];
  const ticket = new Ticket({ socket, streams } as unknown as Watcher, 1, recovery);
  ticket.give();
  return { ticket, id: given[0] as string };
}

afterEach(() => void jest.useRealTimers());

test("a socket that stays open for days is remembered, and for two minutes after it left", async () => {
  jest.useFakeTimers();
  const recovery = memoryRecovery(() => Date.now());
  const { ticket, id } = watched(recovery);
  ticket.changed();
  await jest.advanceTimersByTimeAsync(3 * 24 * 3_600_000);
  expect(await recovery.load(id)).toEqual(remembered);
  ticket.leaving("transport close");
  await jest.advanceTimersByTimeAsync(AWAY_MS - 1);
  expect(await recovery.load(id)).toEqual(remembered);
  await jest.advanceTimersByTimeAsync(2);
  expect(await recovery.load(id)).toBeUndefined();
});

test("a socket whose replica is killed is remembered for two minutes, and not for three", async () => {
  jest.useFakeTimers();
  const recovery = memoryRecovery(() => Date.now());
  let killed = false;
  const { ticket, id } = watched({
    ...recovery,
    save: async (...saved) => (killed ? undefined : recovery.save(...saved)),
  });
  ticket.changed();
  await jest.advanceTimersByTimeAsync(2.5 * KEEP_MS);
  killed = true;
  await jest.advanceTimersByTimeAsync(AWAY_MS);
  expect(await recovery.load(id)).toEqual(remembered);
  await jest.advanceTimersByTimeAsync(KEEP_MS);
  expect(await recovery.load(id)).toBeUndefined();
});

test("a client that takes its leave is forgotten at once", async () => {
  jest.useFakeTimers();
  const recovery = memoryRecovery(() => Date.now());
  const { ticket, id } = watched(recovery);
  ticket.changed();
  await jest.advanceTimersByTimeAsync(1_000);
  ticket.leaving("client namespace disconnect");
  await jest.advanceTimersByTimeAsync(2 * KEEP_MS);
  expect(await recovery.load(id)).toBeUndefined();
});

test("Redis forgets a ticket when its time is over, by itself", async () => {
  const redis = openRedis((await freshRedis()).url, createLogger("test", "silent"));
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  const recovery = redisRecovery(redis);
  const lives = async () => {
    const [key = ""] = await redis.keys("*");
    return redis.pttl(key);
  };
  await recovery.save("a ticket", remembered, "open");
  expect(await recovery.load("a ticket")).toEqual(remembered);
  const open = await lives();
  expect(open).toBeGreaterThan(AWAY_MS);
  expect(open).toBeLessThanOrEqual(AWAY_MS + KEEP_MS);
  await recovery.save("a ticket", remembered, "away");
  expect(await lives()).toBeLessThanOrEqual(AWAY_MS);
});
