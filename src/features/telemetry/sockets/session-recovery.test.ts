import { freshRedis, redisClient } from "../../../testing";
import type { RecoverableSession } from "./recoverable-session";
import {
  RECOVERY_WINDOW_MS,
  SAVE_INTERVAL_MS,
  SessionRecovery,
  type SessionStore,
  sessionStore,
} from "./session-recovery";
import type { Watcher } from "./watcher";

const session: RecoverableSession = {
  user_id: 1,
  socket_id: "a socket",
  streams: [{ drone_id: 7, stream_type: "gps" }],
  fleet: true,
};

/** A fake of Redis, with the clock of the test. */
function fakeStore(): SessionStore {
  const kept = new Map<string, { session: RecoverableSession; until: number }>();
  return {
    save: async (ticket, saved, lifeMs) => kept.set(ticket, { session: saved, until: Date.now() + lifeMs }),
    load: async (ticket) => {
      const found = kept.get(ticket);
      return found && found.until >= Date.now() ? found.session : undefined;
    },
    drop: async (ticket) => kept.delete(ticket),
  };
}

/** The recovery of a watcher's socket, and the ticket that the socket was sent. */
function recoveryOf(store: SessionStore) {
  const sent: string[] = [];
  const socket = { id: "a socket", emit: (_event: string, ticket: string) => sent.push(ticket) };
  const streams = [{ droneId: 7, stream: "gps" }];
  const recovery = new SessionRecovery(
    { socket, streams, watchesFleet: true } as unknown as Watcher,
    1,
    store,
  );
  recovery.sendTicket();
  return { recovery, ticket: sent[0] as string };
}

afterEach(() => void jest.useRealTimers());

test("a socket that stays open for days can be recovered, and for two minutes after it disconnected", async () => {
  jest.useFakeTimers();
  const store = fakeStore();
  const { recovery, ticket } = recoveryOf(store);
  recovery.changed();
  await jest.advanceTimersByTimeAsync(3 * 24 * 3_600_000);
  expect(await store.load(ticket)).toEqual(session);
  recovery.leaving("transport close");
  await jest.advanceTimersByTimeAsync(RECOVERY_WINDOW_MS - 1);
  expect(await store.load(ticket)).toEqual(session);
  await jest.advanceTimersByTimeAsync(2);
  expect(await store.load(ticket)).toBeUndefined();
});

test("a socket of a replica that is killed can be recovered for two minutes, and not for three", async () => {
  jest.useFakeTimers();
  const store = fakeStore();
  let killed = false;
  const { recovery, ticket } = recoveryOf({
    ...store,
    save: async (...saved) => (killed ? undefined : store.save(...saved)),
  });
  recovery.changed();
  await jest.advanceTimersByTimeAsync(2.5 * SAVE_INTERVAL_MS);
  killed = true;
  await jest.advanceTimersByTimeAsync(RECOVERY_WINDOW_MS);
  expect(await store.load(ticket)).toEqual(session);
  await jest.advanceTimersByTimeAsync(SAVE_INTERVAL_MS);
  expect(await store.load(ticket)).toBeUndefined();
});

test("the session of a client that disconnects on purpose is deleted at once", async () => {
  jest.useFakeTimers();
  const store = fakeStore();
  const { recovery, ticket } = recoveryOf(store);
  recovery.changed();
  await jest.advanceTimersByTimeAsync(1_000);
  recovery.leaving("client namespace disconnect");
  await jest.advanceTimersByTimeAsync(2 * SAVE_INTERVAL_MS);
  expect(await store.load(ticket)).toBeUndefined();
});

test("Redis keeps a session for its lifetime and deletes it by itself", async () => {
  const redis = await redisClient((await freshRedis()).url);
  const store = sessionStore(redis);
  await store.save("a ticket", session, RECOVERY_WINDOW_MS);
  expect(await store.load("a ticket")).toEqual(session);
  const [key = ""] = await redis.keys("*");
  const life = await redis.pttl(key);
  expect(life).toBeGreaterThan(RECOVERY_WINDOW_MS - 10_000);
  expect(life).toBeLessThanOrEqual(RECOVERY_WINDOW_MS);
  await store.drop("a ticket");
  expect(await store.load("a ticket")).toBeUndefined();
});
