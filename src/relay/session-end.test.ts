import { EventEmitter } from "node:events";
import type { WebSocket } from "ws";
import { openDatabase } from "../platform/postgres/db";
import { createLogger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import type { Redis } from "../platform/redis/client";
import { atEndOfFile, freshDatabase, freshRedis } from "../testing";
import { until } from "../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../testing/worlds/interruptible-link";
import { startTestRelay, type TestDrone, TestPilot, type TestRelay } from "../testing/worlds/start-relay";
import { DroneWatch } from "./drone-watch";
import { relayMetrics } from "./metrics";
import { openSession, type RelayDeps } from "./open-session";
import { type Session, Sessions } from "./sessions";

let relay: TestRelay;
/** Straight to the server, whatever happens to the relay's link. */
let redis: Redis;
let redisProxy: InterruptibleLink;
let listenerProxy: InterruptibleLink;

beforeAll(async () => {
  const [database, server] = await Promise.all([freshDatabase(), freshRedis()]);
  redisProxy = await interruptibleLink(server.url);
  listenerProxy = await interruptibleLink(database.url);
  relay = await startTestRelay(
    {
      REDIS_URL: redisProxy.url,
      DATABASE_DIRECT_URL: listenerProxy.url,
      RELAY_PING_SECONDS: "1",
      QUOTA_RELAY_SESSIONS: "0",
    },
    { databaseUrl: database.url, redisUrl: server.url },
    { redisStallMs: 300 },
  );
  redis = await relay.redis();
});

const channels = async () => ((await redis.pubsub("CHANNELS", "10.71.*")) as string[]).length;

async function live(drone: TestDrone, pilot = relay.pilot(`/redispad/${drone.id}`)): Promise<TestPilot> {
  await pilot.open();
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.length > 0;
  });
  return pilot;
}

/** Whether a new session gets a frame through; false when it is turned away. */
async function steers(drone: TestDrone, arrived: () => boolean): Promise<boolean> {
  const pilot = relay.pilot(`/redispad/${drone.id}`);
  await pilot.open();
  pilot.send("fresh");
  await until(() => arrived() || pilot.closedWith !== undefined);
  const through = arrived();
  pilot.socket.terminate();
  return through;
}

const metric = async (line: string) =>
  (await (await fetch(`${relay.url}/metrics`)).text())
    .split("\n")
    .find((one) => one.startsWith(line))
    ?.split(" ")[1];

/** The stick frames that reach a drone from now on. */
async function framesTo({ ip }: { ip: string }): Promise<string[]> {
  const received: string[] = [];
  const subscriber = await relay.redis();
  subscriber.on("message", (_channel, frame) => received.push(frame));
  await subscriber.subscribe(`${ip}:gamepad_input`);
  return received;
}

test("after 1,000 abrupt disconnects no subscription and no session is left", async () => {
  const drones = await Promise.all(Array.from({ length: 20 }, () => relay.newDrone()));
  for (let round = 0; round < 5; round++) {
    const pilots = Array.from({ length: 200 }, (_, i) =>
      relay.pilot(`/redispad/${drones[i % drones.length]!.id}`),
    );
    await Promise.all(pilots.map((pilot) => pilot.open()));
    // Some go while they are still looked up, the others from an open session.
    if (round % 2 === 0) await until(async () => (await channels()) === 2 * drones.length);
    for (const pilot of pilots) pilot.socket.terminate();
  }
  await until(async () => (await channels()) === 0);
  await until(async () => (await metric('fleet_relay_sessions{route="redispad"')) === "0");
});

test("a drone's deletion closes its sessions and no others", async () => {
  const [gone, kept] = [await relay.newDrone(), await relay.newDrone()];
  const pilots = [await live(gone), await live(gone)];
  const other = await live(kept);
  await relay.db("drones").where({ id: gone.id }).update({ deleted_at: new Date(), ip: null });
  for (const pilot of pilots) {
    expect(await pilot.closed).toEqual({ code: 4404, reason: "The drone was deleted." });
  }
  expect((await redis.pubsub("NUMSUB", `${gone.ip}:output`))[1]).toBe(0);
  expect(other.closedWith).toBeUndefined();
});

test("a deleted row closes its drone's sessions too", async () => {
  const drone = await relay.newDrone();
  const pilot = await live(drone);
  await relay.db("drones").where({ id: drone.id }).delete();
  expect((await pilot.closed).code).toBe(4404);
});

test("the former owner's session ends at once, even if the client keeps sending and does not read", async () => {
  const drone = await relay.newDrone();
  const received = await framesTo(drone);
  const pilot = await live(drone);
  pilot.send("in time");
  await until(() => received.includes("in time"));
  pilot.socket.pause();
  await relay
    .db("drones")
    .where({ id: drone.id })
    .update({ user_id: await relay.newUser() });
  await until(async () => (await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1] === 0);
  await new Promise<void>((resolve) => pilot.socket.send("too late", () => resolve()));
  pilot.socket.resume();
  expect(await pilot.closed).toEqual({ code: 4403, reason: "The drone has another owner now." });
  await redis.publish(`${drone.ip}:gamepad_input`, "marker");
  await until(() => received.includes("marker"));
  expect(received).toEqual(["in time", "marker"]);
});

test("the next drone with a bound address is not steered by the former drone's session", async () => {
  const [old, next] = [await relay.newDrone(), await relay.newDrone()];
  const pilot = await live(old);
  await relay.db("drones").where({ id: old.id }).update({ ip: null });
  await relay.db("drones").where({ id: next.id }).update({ ip: old.ip });
  expect(await pilot.closed).toEqual({ code: 4404, reason: "The drone's address is another drone's now." });
});

test("changes during a lost database connection are found after the reconnect", async () => {
  const [gone, given, kept] = [await relay.newDrone(), await relay.newDrone(), await relay.newDrone()];
  const pilots = [await live(gone), await live(given), await live(kept)];
  listenerProxy.cut();
  await until(async () => (await metric("fleet_relay_database_listening")) === "0");
  await relay.db("drones").where({ id: gone.id }).update({ deleted_at: new Date(), ip: null });
  await relay
    .db("drones")
    .where({ id: given.id })
    .update({ user_id: await relay.newUser() });
  expect(pilots.map(({ closedWith }) => closedWith)).toEqual([undefined, undefined, undefined]);
  listenerProxy.mend();
  expect((await pilots[0]!.closed).code).toBe(4404);
  expect((await pilots[1]!.closed).code).toBe(4403);
  expect(pilots[2]!.closedWith).toBeUndefined();
});

test("a pilot whose network failed is detected by pings, and its subscription ends", async () => {
  const drone = await relay.newDrone();
  const link = await interruptibleLink(relay.url);
  const pilot = await live(drone, new TestPilot(`${link.url.replace("http", "ws")}redispad/${drone.id}`));
  link.stall();
  await until(async () => (await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1] === 0);
  expect(pilot.closedWith).toBeUndefined();
});

test("a pilot that sends only pongs stays connected", async () => {
  const drone = await relay.newDrone();
  const pilot = await live(drone);
  let pings = 0;
  pilot.socket.on("ping", () => {
    pings += 1;
  });
  await until(() => pings === 3);
  expect(pilot.closedWith).toBeUndefined();
});

test("a Redis that stalls ends the sessions, its unsent frames are never delivered, and new sessions work afterwards", async () => {
  const drone = await relay.newDrone();
  const received = await framesTo(drone);
  const pilot = await live(drone);
  redisProxy.stall();
  pilot.send("stale");
  expect(await pilot.closed).toEqual({
    code: 1013,
    reason: "Redis cannot be reached; connect again in a moment.",
  });
  expect((await relay.pilot(`/redispad/${drone.id}`).closed).code).toBe(1013);
  redisProxy.cut();
  redisProxy.mend();
  await until(() => steers(drone, () => received.includes("fresh")));
  expect(received).not.toContain("stale");
  await until(async () => (await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1] === 0);
});

test("a drone deleted while its session is being looked up leaves no subscription behind", async () => {
  const drone = await relay.newDrone();
  const pilots = Array.from({ length: 40 }, () => relay.pilot(`/redispad/${drone.id}`));
  const opened = Promise.all(pilots.map((pilot) => pilot.open()));
  await relay.db("drones").where({ id: drone.id }).delete();
  await opened;
  for (const pilot of pilots)
    expect(await pilot.closed).toEqual({ code: 4404, reason: expect.stringMatching(/deleted|not found/) });
  await until(async () => (await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1] === 0);
  await until(async () => (await metric('fleet_relay_sessions{route="redispad"')) === "0");
});

test("a user who loses the drone during the look-up is refused", async () => {
  const drone = await relay.newDrone();
  const log = createLogger("test", "silent");
  const sessions = new Sessions({ maxSessions: 2, quotas: { checkAmount: () => {} } });
  const watch = new DroneWatch(relay.db, sessions, log);
  const db = openDatabase(relay.databaseUrl, { poolMax: 1 });
  atEndOfFile(async () => {
    await Promise.all([db.destroy(), watch.stop()]);
  });
  const another = relay.newUser();
  const query = db.client.query.bind(db.client);
  jest.spyOn(db.client, "query").mockImplementationOnce(async (...asked) => {
    const answer = await query(...asked);
    await relay
      .db("drones")
      .where({ id: drone.id })
      .update({ user_id: await another });
    await new Promise((judged) => {
      const before: Session = { route: "redispad", droneId: drone.id, drone: undefined, close: judged };
      sessions.add(before);
      sessions.bind(before, drone);
      watch.changed({ table: "drones", op: "update", id: drone.id });
    });
    return answer;
  });
  const closed = jest.fn();
  const socket = { pause: () => {}, resume: () => {}, ping: () => {}, close: closed };
  await openSession(
    Object.assign(new EventEmitter(), socket) as unknown as WebSocket,
    { route: "redispad", droneId: drone.id, token: undefined, port: 5001 },
    {
      ...{ db, log, sessions, watch, pingMs: 60_000, credentials: undefined },
      metrics: relayMetrics(createMetrics("test")),
      publisher: { up: true },
      channels: { join: async () => {}, leave: () => {} },
    } as unknown as RelayDeps,
  );
  await until(() => closed.mock.calls.length > 0);
  expect(closed).toHaveBeenCalledWith(4403, "The drone has another owner now.");
});
