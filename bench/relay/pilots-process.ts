import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { commandCalls } from "../../src/testing/scrape";
import { percentile } from "../table";
import { answer } from "./child";

/**
 * Pilots and the drones' end of Redis, as cheap as can be, so that the figures are those of the server between them:
 * WebSocket by hand over TCP, frames made beforehand.
 */
const pilots: Socket[] = [];
const PAYLOAD = 64;
const STAMP = 16;

/** A masked text frame; the mask is zero, so the payload stands as it is. */
function textFrame(payload: string): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

const stickFrame = () => textFrame(`${"0".repeat(STAMP)}{"axes":[0.1,-0.2]}`.padEnd(PAYLOAD, " "));

function enter(port: number, drone: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.write(
      `GET /redispad/${drone} HTTP/1.1\r\nHost: relay\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    socket.once("data", (head) => {
      if (!head.toString("latin1").startsWith("HTTP/1.1 101")) reject(new Error(head.toString("latin1")));
      socket.on("data", (frame) => {
        if (frame[0] === 0x89)
          socket.write(
            Buffer.concat([Buffer.from([0x8a, 0x80 | (frame[1] ?? 0), 0, 0, 0, 0]), frame.subarray(2)]),
          );
      });
      resolve(socket);
    });
  });
}

/** Open a session for each of the drones 1 to `count`, some at a time. */
async function open(port: number, count: number): Promise<number> {
  while (pilots.length < count) {
    const next = Array.from(
      { length: Math.min(250, count - pilots.length) },
      (_, i) => pilots.length + i + 1,
    );
    pilots.push(...(await Promise.all(next.map((drone) => enter(port, drone)))));
  }
  return pilots.length;
}

/** How many of them are still connected. */
const connected = () =>
  pilots.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length;

function leave(): void {
  for (const socket of pilots) socket.destroy();
  pilots.length = 0;
}

/** Frames of all pilots together that may be on their way: enough to keep the server busy, and no backlog. */
const OUTSTANDING = 8_000;
const BATCH = 16;

/**
 * The pilots send as fast as the frames come through to Redis, whose count of PUBLISH commands paces them.
 * Returns how many came through, and in how many seconds.
 */
async function flood(redisUrl: string, seconds: number) {
  const redis = new Redis(redisUrl);
  const published = () => commandCalls(redis, "publish");
  const batch = Buffer.concat(Array.from({ length: BATCH }, stickFrame));
  const before = await published();
  const started = performance.now();
  let done = 0;
  let sent = 0;
  for (let turn = 0; performance.now() - started < seconds * 1_000; ) {
    for (; sent - done + BATCH <= OUTSTANDING; sent += BATCH) pilots[turn++ % pilots.length]?.write(batch);
    done = (await published()) - before;
  }
  while (done < sent) done = (await published()) - before;
  redis.disconnect();
  return { frames: done, seconds: (performance.now() - started) / 1_000 };
}

const microseconds = () => Math.round(performance.timeOrigin * 1_000 + performance.now() * 1_000);

/**
 * 20 frames a second from every pilot, their moments spread evenly, each frame carrying when it was sent.
 * Returns p50 and p99 of its age at the drone's end of Redis, in milliseconds, and how many arrived of how many.
 */
async function steady(redisUrl: string, seconds: number) {
  const redis = new Redis(redisUrl);
  const ages: number[] = [];
  const perSecond = pilots.length * 20;
  const warmUp = Math.round(perSecond * 0.5);
  const total = perSecond * seconds + warmUp;
  let arrived = 0;
  redis.on("pmessageBuffer", (_pattern: string, _channel: Buffer, frame: Buffer) => {
    if (++arrived > warmUp) ages.push((microseconds() - Number(frame.toString("latin1", 0, STAMP))) / 1_000);
  });
  await redis.psubscribe("*:gamepad_input");
  const frame = stickFrame();
  const started = microseconds();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((microseconds() - started) / 1e6) * perSecond));
    for (; sent < due; sent++) {
      frame.write(String(microseconds()).padStart(STAMP, "0"), 6, "latin1");
      pilots[sent % pilots.length]?.write(Buffer.from(frame));
    }
    await delay(1);
  }
  for (let waits = 0; arrived < total && waits < 200; waits++) await delay(10);
  redis.disconnect();
  return { p50: percentile(ages, 0.5), p99: percentile(ages, 0.99), arrived, sent: total };
}

answer({ open, connected, leave, flood, steady });
