import { startRedis } from "../laptop/servers/redis";
import type { Redis } from "../platform/redis/client";
import { atEndOfFile, freshDatabase, freshFolder } from "../testing";
import { flood } from "../testing/flood";
import { rawFrame } from "../testing/raw-http";
import { until } from "../testing/until";
import {
  startTestRelay,
  type TestDrone,
  type TestPilot,
  type TestRelay,
} from "../testing/worlds/start-relay";

let relay: TestRelay;
let redis: Redis;

beforeAll(async () => {
  relay = await startTestRelay({}, undefined, { maxBufferedBytes: 65_536 });
  redis = await relay.redis();
});

async function live(drone: TestDrone): Promise<TestPilot> {
  const pilot = await relay.pilot(`/redispad/${drone.id}`).open();
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.length > 0;
  });
  return pilot;
}

const metric = async (line: string) =>
  Number(
    (await (await fetch(`${relay.url}/metrics`)).text())
      .split("\n")
      .find((one) => one.startsWith(line))
      ?.split(" ")[1],
  );

test("a browser that pauses reading loses the oldest frames and gets the newest, in order", async () => {
  const drone = await relay.newDrone();
  const [slow, prompt] = [await live(drone), await live(drone)];
  const read = slow.frames.length;
  slow.socket.pause();
  const frames = 3_000;
  for (let i = 0; i < frames; i++) await redis.publish(`${drone.ip}:output`, `${i}`.padEnd(1_024, "."));
  const numbers = (pilot: TestPilot) =>
    pilot.frames.filter((frame) => frame !== "hello").map((frame) => Number.parseInt(frame, 10));
  await until(() => numbers(prompt).at(-1) === frames - 1);
  expect(numbers(prompt)).toEqual(Array.from({ length: frames }, (_, i) => i));

  slow.socket.resume();
  await until(() => numbers(slow).at(-1) === frames - 1);
  const seen = numbers(slow);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  // As much as may be on its way, and as much again that waited.
  expect(slow.frames.length - read).toBeLessThanOrEqual(2 * 64 + 2);
  expect(await metric('fleet_relay_dropped_frames_total{reason="slow_pilot"')).toBe(frames - seen.length);
  // It is a good session again.
  await redis.publish(`${drone.ip}:output`, "caught up");
  await until(() => slow.frames.at(-1) === "caught up");
});

/** What the relay is sent without a pause: five hundred ordinary frames at a time. */
const sticks = Buffer.concat(
  Array.from({ length: 500 }, () =>
    rawFrame({ first: 0x81, payload: Buffer.from('{"axes":[0.1,-0.2,0.3,0.4]}') }),
  ),
);

test("a flood from one session does not delay another's frames", async () => {
  const [loud, quiet] = [await relay.newDrone(), await relay.newDrone()];
  const subscriber = await relay.redis();
  const ages: number[] = [];
  subscriber.on("message", (_channel, sentAt) => ages.push(performance.now() - Number(sentAt)));
  await subscriber.subscribe(`${quiet.ip}:gamepad_input`);
  const pilot = await live(quiet);
  const carried = () => metric('fleet_relay_frames_total{direction="to_drone"');
  const before = await carried();
  const loudly = flood(relay.url, [`/redispad/${loud.id}`], sticks);
  await until(async () => (await carried()) > before + 5_000);
  for (let sent = 1; sent <= 100; sent++) {
    pilot.send(String(performance.now()));
    await until(() => ages.length === sent);
  }
  loudly.stop();
  expect(await carried()).toBeGreaterThan(before + 20_000);
  // A fifth of the drone's dead-man time, on a machine that runs other tests beside this one.
  expect(ages.toSorted((a, b) => a - b)[90]).toBeLessThan(100);
});

test("a Redis that is restarted ends the sessions with 1013; those opened after it work", async () => {
  const folder = freshFolder("redis");
  const first = await startRedis({ folder, durable: false });
  const database = await freshDatabase();
  const other = await startTestRelay({}, { databaseUrl: database.url, redisUrl: first.url });
  const drone = await other.newDrone();
  const pilot = await other.pilot(`/redispad/${drone.id}`).open();
  await first.stop();
  expect(await pilot.closed).toEqual({
    code: 1013,
    reason: "Redis cannot be reached; connect again in a moment.",
  });
  const second = await startRedis({ folder, port: first.port, durable: false });
  atEndOfFile(() => second.stop());
  const client = await other.redis();
  const received: string[] = [];
  client.on("message", (_channel, frame) => received.push(frame));
  await client.subscribe(`${drone.ip}:gamepad_input`);
  await until(async () => {
    const next = await other.pilot(`/redispad/${drone.id}`).open();
    next.send("again");
    await until(() => received.length > 0 || next.closedWith !== undefined);
    next.socket.terminate();
    return received.length > 0;
  });
  expect(received).toEqual(["again"]);
});

test("a relay that stops closes its sessions with 1012, refuses new ones, and does not wait for slow clients", async () => {
  const other = await startTestRelay({}, relay);
  const drone = await relay.newDrone();
  const [prompt, deaf] = [other.pilot(`/redispad/${drone.id}`), other.pilot(`/redispad/${drone.id}`)];
  await Promise.all([prompt.open(), deaf.open()]);
  await until(async () => (await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1] === 1);
  deaf.socket.pause();
  const asked = performance.now();
  const stopped = other.lifecycle.stop("test");
  await expect(other.pilot(`/redispad/${drone.id}`).open()).rejects.toThrow(/ECONNREFUSED|503/);
  expect(await prompt.closed).toEqual({ code: 1012, reason: "The relay is restarting; connect again." });
  await stopped;
  expect(performance.now() - asked).toBeLessThan(3_500);
  expect((await redis.pubsub("NUMSUB", `${drone.ip}:output`))[1]).toBe(0);
});
