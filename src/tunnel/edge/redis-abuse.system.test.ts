import { once } from "node:events";
import type { Redis } from "../../platform/redis/client";
import { encodeCommand } from "../../platform/redis/resp";
import { freshRedis, redisClient } from "../../testing";
import { until } from "../../testing/until";
import { connectFrom, startEdge, type TestEdge } from "../../testing/worlds/start-edge";

const HOSTILE = "127.0.10.2";
const SERVED = "127.0.10.3";
/** The chart's Redis is killed at 512 MiB. */
const MAX_MEGABYTES = 128;
const FRAME_MS = 50;
const ENOUGH_FRAMES = 10;

let admin: Redis;
let edge: TestEdge;

beforeEach(async () => {
  const { url } = await freshRedis();
  admin = await redisClient(url);
  edge = await startEdge([HOSTILE, SERVED], {
    redis: { port: 0, url, secret: "what only the edge knows" },
  });
  await until(async () => {
    const { said, socket } = connect(SERVED);
    socket.write(encodeCommand("PING"));
    await until(() => said() !== "");
    return said() === "+PONG\r\n";
  });
});

const connect = (drone: string) => connectFrom(drone, edge.edge.url("redis") as string);

/** Most of Redis's own memory during the attack, while another drone gets each of its frames. */
async function peakDuring(attack: () => Promise<void>): Promise<number> {
  const served = connect(SERVED);
  served.socket.write(encodeCommand("SUBSCRIBE", `${SERVED}:gamepad_input`));
  await until(() => served.said().includes("subscribe"));
  let sent = 0;
  const frames = setInterval(
    () => void admin.publish(`${SERVED}:gamepad_input`, `frame ${++sent};`),
    FRAME_MS,
  );
  try {
    await attack();
    await until(() => sent > ENOUGH_FRAMES);
  } finally {
    clearInterval(frames);
  }
  await until(() => served.said().includes(`frame ${sent};`));
  expect(sent).toBeGreaterThan(ENOUGH_FRAMES);
  const arrived = served.said().match(/frame \d+;/g);
  expect(arrived).toEqual(Array.from({ length: sent }, (_, at) => `frame ${at + 1};`));
  const memory = await admin.info("memory");
  return Number(/used_memory_peak:(\d+)/.exec(memory)?.[1]) / 1_048_576;
}

/** Writes as fast as the connection takes it, until it is closed or the time is over. */
async function flood(drone: string, command: (at: number) => Buffer, count: number): Promise<void> {
  const { socket } = connect(drone);
  const over = new AbortController();
  const { signal } = over;
  const limit = setTimeout(() => over.abort(), 5_000);
  socket.once("close", () => over.abort());
  for (let at = 0; at < count && !signal.aborted; at++)
    if (!socket.write(command(at))) await once(socket, "drain", { signal }).catch(() => {});
  clearTimeout(limit);
}

test("31 connections that subscribe and never read cost Redis little, whoever publishes", async () => {
  const frame = "x".repeat(65_536);
  const peak = await peakDuring(async () => {
    for (let at = 0; at < 31; at++) {
      const { socket } = connect(HOSTILE);
      socket.write(encodeCommand("SUBSCRIBE", `${HOSTILE}:gamepad_input`));
      await once(socket, "connect");
      socket.pause();
    }
    await until(async () => Number((await admin.pubsub("NUMSUB", `${HOSTILE}:gamepad_input`))[1]) > 0);
    const own = flood(HOSTILE, () => encodeCommand("PUBLISH", `${HOSTILE}:gamepad_input`, frame), 2_000);
    // The pilot is the same tenant.
    for (let at = 0; at < 2_000; at++) await admin.publish(`${HOSTILE}:gamepad_input`, frame);
    await own;
  });
  expect(peak).toBeLessThan(MAX_MEGABYTES);
});

test("4,000 subscriptions to names of 100 kB cost Redis little", async () => {
  const peak = await peakDuring(() =>
    flood(HOSTILE, (at) => encodeCommand("SUBSCRIBE", `${HOSTILE}:${at}${"n".repeat(100_000)}`), 4_000),
  );
  expect(peak).toBeLessThan(MAX_MEGABYTES);
});
