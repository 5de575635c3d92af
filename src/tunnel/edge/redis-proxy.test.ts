import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Ipv4 } from "../../domain/ipv4";
import { createLogger } from "../../platform/process/log";
import { packageRoot } from "../../platform/process/version";
import { openRedis, redisReady } from "../../platform/redis/client";
import { encodeCommand } from "../../platform/redis/resp";
import { atEndOfFile, freshRedis } from "../../testing";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { connectFrom, startEdge, type TestEdge } from "../../testing/worlds/start-edge";
import { DroneUsers } from "./drone-users";
import { redisProxy } from "./redis-proxy";

const ONE = "127.0.9.2";
/** Its address begins as the other's does. */
const TWO = "127.0.9.20";
const quiet = createLogger("test", "silent");

let redisUrl: string;
let admin: Redis;
let edge: TestEdge;

beforeAll(async () => {
  // The user `default` has no password and all rights.
  redisUrl = (await freshRedis()).url;
  admin = await connected();
  // As Redis was before 7.0, and may still be told to be: a new user hears everything.
  await admin.config("SET", "acl-pubsub-default", "allchannels");
  edge = await edgeTo(redisUrl);
  await until(async () => (await answered(ONE, command("PING"))) === "+PONG\r\n");
});

const opened = new Set<Socket>();
/** Each drone may have a few connections only. */
afterEach(async () => {
  for (const socket of opened) socket.destroy();
  opened.clear();
  await until(async () =>
    (await edge.metrics()).includes('fleet_edge_connections{service="redis",process="test"} 0'),
  );
});

/** A drone's bare connection to the edge. */
function connectTo(drone: string, of = edge) {
  const raw = connectFrom(drone, address(of));
  opened.add(raw.socket);
  return raw;
}

async function connected(): Promise<Redis> {
  const redis = openRedis(redisUrl, quiet);
  atEndOfFile(async () => redis.disconnect());
  await redisReady(redis);
  return redis;
}

/** The first thing that comes back. */
async function answered(drone: string, bytes: Buffer, of = edge): Promise<string> {
  const { socket, said } = connectTo(drone, of);
  socket.write(bytes);
  await until(() => said() !== "");
  socket.destroy();
  return said();
}

const edgeTo = (url: string, limit: { bytesPerSecond?: number } = {}) =>
  startEdge([ONE, TWO], { redis: { port: 0, url, secret: "what only the edge knows", ...limit } });
const address = (of = edge) => of.edge.url("redis") as string;

/** A drone's bare connection, and what Redis said when it was given this. */
async function say(drone: string, ...parts: (string | Buffer)[]) {
  const raw = connectTo(drone);
  for (const part of parts) {
    raw.socket.write(part);
    // Each in a packet of its own.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return raw;
}

const command = (...words: string[]) => encodeCommand(...words);

test("a drone publishes and subscribes on its own channels, as a Redis user without other rights", async () => {
  const received: string[] = [];
  const listener = await connected();
  listener.on("message", (channel, text) => received.push(`${channel} ${text}`));
  await listener.subscribe(`${ONE}:output`);
  const drone = await say(ONE, command("SUBSCRIBE", `${ONE}:gamepad_input`), command("PING", "echo"));
  await until(() => drone.said().includes("pong"));
  await admin.publish(`${ONE}:gamepad_input`, "a stick frame ümlaut");
  await until(() => drone.said().includes(Buffer.from("a stick frame ümlaut").toString("latin1")));
  await say(ONE, command("PUBLISH", `${ONE}:output`, "an answer"));
  await until(() => received.includes(`${ONE}:output an answer`));

  const acl = (await admin.acl("GETUSER", `fleet-drone-${ONE}`)) as unknown[];
  const rules = Object.fromEntries(
    Array.from({ length: acl.length / 2 }, (_, at) => [acl[2 * at], acl[2 * at + 1]]),
  );
  expect(rules).toMatchObject({
    keys: "",
    channels: ["gamepad_input", "video_source", "video_room_details", "video_room_state"]
      .map((topic) => `&${ONE}:${topic}`)
      .join(" "),
    selectors: [
      ["commands", "-@all +publish", "keys", "", "channels", `&${ONE}:output &${ONE}:aruco_tracking`],
    ],
  });
  expect(String(rules.commands).split(" ").sort()).toEqual(
    ["+ping", "+subscribe", "+unsubscribe", "-@all"].sort(),
  );
});

test.each([
  ["another drone's channel", ["SUBSCRIBE", `${TWO}:gamepad_input`]],
  ["another drone's channel whose address begins alike", ["PUBLISH", `${TWO}:gamepad_input`, "{}"]],
  ["a pattern of channels", ["SUBSCRIBE", "*"]],
  ["a channel of its own without a use", ["SUBSCRIBE", `${ONE}:${"x".repeat(100_000)}`]],
  ["its own pilot's frames to itself", ["PUBLISH", `${ONE}:gamepad_input`, "{}"]],
  ["what it publishes itself", ["SUBSCRIBE", `${ONE}:output`]],
  ["the server's facts", ["INFO"]],
  ["the list of clients", ["CLIENT", "LIST"]],
  ["the end of another client", ["CLIENT", "KILL", "TYPE", "normal"]],
])("Redis itself refuses it %s, and the connection goes on", async (_, words) => {
  const drone = await say(ONE, command(...words), command("PING", "still here"));
  await until(() => drone.said().includes("still here"));
  expect(drone.said()).toMatch(/^-NOPERM /);
});

test.each([
  ["AUTH as the default user", command("AUTH", "default", "")],
  ["AUTH with a password alone", command("AUTH", "")],
  ["AUTH in other letters", command("aUtH", "default", "")],
  ["HELLO with AUTH", command("HELLO", "3", "AUTH", "default", "")],
  ["HELLO of another version", command("HELLO", "4")],
  ["RESET", command("RESET")],
  ["ACL", command("ACL", "SETUSER", "me", "on", "nopass", "+@all", "~*", "&*")],
  ["a key", command("GET", "secret")],
  ["a pattern", command("PSUBSCRIBE", "*")],
  ["a shard's channel", command("SSUBSCRIBE", "a")],
  ["a transaction", command("MULTI")],
  ["a script", command("EVAL", "return 1", "0")],
  ["MONITOR", command("MONITOR")],
  ["a name that every object has", command("constructor")],
  ["an inline command", Buffer.from("AUTH default x\r\n")],
  ["an empty inline command before it", Buffer.from("\r\nAUTH default x\r\n")],
  ["a length with a sign", Buffer.from("*+1\r\n$4\r\nPING\r\n")],
  ["a negative length", Buffer.from("*1\r\n$-1\r\n")],
  ["no words", Buffer.from("*0\r\n")],
  ["a list within a list", Buffer.from("*1\r\n*1\r\n$4\r\nAUTH\r\n")],
  ["a reply", Buffer.from("+PING\r\n")],
  ["a length over every bound", Buffer.from("*1\r\n$99999999\r\n")],
  ["a length that never ends", Buffer.from(`*${"1".repeat(200_000)}`)],
  ["a word that is longer than it says", Buffer.from("*1\r\n$4\r\nPINGX\r\n")],
  ["a line feed without its return", Buffer.from("*1\n$4\nPING\n")],
])("%s is rejected and the connection closed; later commands are not carried out", async (_, bytes) => {
  const before = await seenByRedis();
  const drone = await say(ONE, Buffer.concat([bytes, command("PUBLISH", `${ONE}:output`, "behind it")]));
  await until(() => drone.socket.closed);
  expect(drone.said()).toMatch(/^-NOPERM [^\r]*\r\n$/);
  expect(await seenByRedis()).toEqual(before);
});

/** What Redis has counted of the commands that could have come through. */
async function seenByRedis(): Promise<string[]> {
  const stats = await admin.info("commandstats");
  return stats
    .split("\r\n")
    .filter((line) => /^cmdstat_(publish|hello|reset|get|psubscribe|eval):/.test(line));
}

test("a command that is rejected is also rejected when it arrives byte by byte", async () => {
  const bytes = command("AUTH", "default", "");
  const drone = await say(ONE, ...[...bytes].map((byte) => Buffer.from([byte])));
  await until(() => drone.socket.closed);
  expect(drone.said()).toMatch(/^-NOPERM /);
});

test("commands are forwarded however they are split, with any bytes in their payload", async () => {
  const payload = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const listener = await connected();
  const received: Buffer[] = [];
  listener.on("messageBuffer", (_channel, message) => received.push(message));
  await listener.subscribe(`${ONE}:output`);
  const publish = Buffer.concat([
    Buffer.from(`*3\r\n$7\r\nPUBLISH\r\n$${ONE.length + 7}\r\n${ONE}:output\r\n$${payload.length}\r\n`),
    payload,
    Buffer.from("\r\n"),
  ]);
  const drone = connectTo(ONE);
  for (let at = 0; at < publish.length; at += 7) {
    drone.socket.write(publish.subarray(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => received.length === 1);
  expect(received[0]?.equals(payload)).toBe(true);
  drone.socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => publish)));
  await until(() => received.length === 1_001);
});

test("ioredis with its defaults connects and subscribes; a second connection does not disturb the first", async () => {
  // It says that it may not ask INFO, also after the test's last word.
  jest.spyOn(console, "warn").mockImplementation(() => {});
  const port = await cableFrom(ONE);
  const client = () => {
    const redis = new Redis({ host: "127.0.0.1", port });
    atEndOfFile(async () => redis.disconnect());
    return redis;
  };
  const [subscriber, publisher] = [client(), client()];
  const received: string[] = [];
  subscriber.on("message", (_channel, text) => received.push(text));
  await subscriber.subscribe(`${ONE}:gamepad_input`);
  const third = await say(ONE, command("PING"));
  await until(() => third.said() === "+PONG\r\n");
  expect(await publisher.publish(`${ONE}:output`, "an answer")).toEqual(expect.any(Number));
  await admin.publish(`${ONE}:gamepad_input`, "a frame");
  await until(() => received.includes("a frame"));
  for (const client of [subscriber, publisher]) client.disconnect();
});

/** A port from which connections go on to the edge as from the drone's address, which ioredis cannot choose. */
async function cableFrom(drone: string): Promise<number> {
  const server = createServer((near) => {
    const far = connectTo(drone).socket;
    near.on("error", () => far.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

test("the edge needs no more rights in Redis than docs/tunnel.md names", async () => {
  const page = readFileSync(join(packageRoot, "docs/tunnel.md"), "utf8");
  const [, rights = ""] = /`ACL SETUSER edge on >… ([^`]+)`/.exec(page) ?? [];
  expect(rights).toContain("+acl|setuser");
  await admin.acl("SETUSER", "edge", "on", ">its-password", ...rights.split(" "));
  const url = new URL(redisUrl);
  url.username = "edge";
  url.password = "its-password";
  const limited = await edgeTo(url.href);
  await until(async () => (await answered(ONE, command("PING"), limited)) === "+PONG\r\n");
  await admin.acl("SETUSER", "fleet-drone-127.0.9.40", "on");
  await limited.look();
  await until(async () => !((await admin.acl("USERS")) as string[]).includes("fleet-drone-127.0.9.40"));
});

test("addresses that are not a live drone's get no byte; a deleted drone loses its connection and its Redis user", async () => {
  const other = await say("127.0.9.9", command("PING"));
  await until(() => other.socket.closed);
  expect(other.said()).toBe("");
  const two = await say(TWO, command("PING"));
  await until(() => two.said() === "+PONG\r\n");
  expect(await admin.acl("USERS")).toContain(`fleet-drone-${TWO}`);
  await admin.acl("SETUSER", "fleet-drone-127.0.9.30", "on", "nopass");
  await admin.acl("SETUSER", "somebody-else", "on");
  edge.live.delete(TWO);
  await edge.look();
  await until(() => two.socket.closed);
  const users = await admin.acl("USERS");
  expect(users).not.toContain(`fleet-drone-${TWO}`);
  expect(users).not.toContain("fleet-drone-127.0.9.30");
  expect(users).toContain(`fleet-drone-${ONE}`);
  expect(users).toContain("somebody-else");
});

test("no drone's Redis user is removed before the database has been read", async () => {
  const lost = "127.0.9.50";
  await admin.acl("SETUSER", `fleet-drone-${lost}`, "on");
  const fleet = new Map([[lost, { ip: lost as Ipv4, keyId: "a key" }]]);
  let known: typeof fleet | undefined = fleet;
  const redis = { port: 0, url: redisUrl, secret: "what only the edge knows" };
  const { edge: forgetful } = await startEdge([], { redis, live: () => known });
  known = new Map(fleet);
  const refreshed = forgetful.refresh();
  // While Redis tells its users.
  known = undefined;
  await refreshed;
  expect(await admin.acl("USERS")).toContain(`fleet-drone-${lost}`);
});

test("a drone that connects again after a restart of Redis gets its Redis user again", async () => {
  const drone = await say(ONE, command("PING"));
  await until(() => drone.said() === "+PONG\r\n");
  // As a restart does: the user is gone, its connections with it.
  await admin.acl("DELUSER", `fleet-drone-${ONE}`);
  await until(() => drone.socket.closed);
  const again = await say(ONE, command("SUBSCRIBE", `${ONE}:gamepad_input`));
  await until(() => again.said().includes("subscribe"));
});

test("a drone gets an error while Redis is away, and connects again when it is back", async () => {
  const link = await interruptibleLink(redisUrl);
  const behind = await edgeTo(link.url);
  const ping = () => answered(ONE, command("PING"), behind);
  await until(async () => (await ping()) === "+PONG\r\n");
  const running = connectTo(ONE, behind);
  running.socket.write(command("PING"));
  await until(() => running.said() !== "");
  link.cut();
  await until(() => running.socket.closed);
  await until(async () => (await ping()).startsWith("-ERR Redis is away"));
  link.mend();
  await until(async () => (await ping()) === "+PONG\r\n");
});

/** Connections that Redis has from this drone's user. */
const connectionsOf = async (drone: string) =>
  String(await admin.client("LIST")).match(new RegExp(` user=fleet-drone-${drone} `, "g"))?.length ?? 0;

test("a drone that disconnects while Redis is dialled leaves no connection there", async () => {
  const users = new DroneUsers(admin, "a secret");
  const near = createServer();
  near.listen(0, "127.0.0.1");
  await once(near, "listening");
  const leaving = connect((near.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(near, "connection")) as [Socket];
  near.close();
  const ensure = async (ip: Ipv4) => {
    leaving.destroy();
    await once(socket, "close");
    return users.ensure(ip);
  };
  const enter = redisProxy({ url: redisUrl, users: { ensure }, log: quiet, onRejected: () => {} });
  const closing = once(socket, "close");
  // Nothing else would see the drone go: the proxy reads nothing before it is connected to Redis.
  socket.resume();
  await Promise.all([closing, enter(socket, { ip: "127.0.9.7" as Ipv4, keyId: "a key" })]);
  await until(async () => (await connectionsOf("127.0.9.7")) === 0);
});

test("the edge does not read from a drone while Redis does not read, and all commands arrive afterwards", async () => {
  const link = await interruptibleLink(redisUrl);
  const behind = await edgeTo(link.url, { bytesPerSecond: 1e9 });
  await until(async () => (await answered(ONE, command("PING"), behind)) === "+PONG\r\n");
  const drone = connectTo(ONE, behind);
  drone.socket.write(command("PING"));
  await until(() => drone.said() !== "");
  link.stall();
  const said = command("PUBLISH", `${ONE}:output`, "x".repeat(32_768));
  for (let sent = 0; sent < 1_200; sent++) drone.socket.write(said);
  let waiting = -1;
  // Nothing goes for a second: the system's own buffers are full too.
  await until(async () => {
    waiting = drone.socket.writableLength;
    await delay(1_000);
    return waiting === drone.socket.writableLength;
  });
  expect(waiting).toBeGreaterThan(10_000_000);
  link.mend();
  await until(() => drone.said().match(/:\d+\r\n/g)?.length === 1_200);
});

test("a drone has eight connections to Redis; a ninth is closed, and counted", async () => {
  const drones = Array.from({ length: 8 }, () => connectTo(ONE));
  for (const { socket } of drones) socket.write(command("PING"));
  await until(() => drones.every(({ said }) => said() === "+PONG\r\n"));
  const ninth = connectTo(ONE);
  await until(() => ninth.socket.closed);
  expect(await edge.metrics()).toMatch(
    /fleet_edge_refusals_total\{service="redis",reason="too_many_connections",process="test"\} 1/,
  );
});

test("a drone that does not read what it subscribed to is cut", async () => {
  const drone = await say(ONE, command("SUBSCRIBE", `${ONE}:gamepad_input`));
  await until(() => drone.said().includes("subscribe"));
  drone.socket.pause();
  const frame = "x".repeat(65_536);
  let sent = 0;
  while (sent < 1_000 && (await admin.publish(`${ONE}:gamepad_input`, frame)) > 0) sent++;
  expect(sent).toBeLessThan(1_000);
  expect(await edge.metrics()).toMatch(
    /fleet_edge_refusals_total\{service="redis",reason="not_reading",process="test"\} 1/,
  );
});

test("a drone's connections together send so many bytes a second, and each command counts as 512 at least", async () => {
  const slow = await edgeTo(redisUrl, { bytesPerSecond: 5_120 });
  await until(async () => (await answered(ONE, command("PING"), slow)) === "+PONG\r\n");
  const [one, other] = [connectTo(ONE, slow), connectTo(ONE, slow)];
  const began = performance.now();
  one.socket.write(Buffer.concat(Array.from({ length: 20 }, () => command("PING"))));
  await until(() => one.said() === "+PONG\r\n".repeat(20));
  other.socket.write(command("PING"));
  await until(() => other.said() === "+PONG\r\n");
  one.socket.write(command("PING"));
  await until(() => one.said() === "+PONG\r\n".repeat(21));
  expect(performance.now() - began).toBeGreaterThan(900);
});
