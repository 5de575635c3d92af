import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Ipv4 } from "../../domain/ipv4";
import { createLogger } from "../../platform/process/log";
import { packageRoot } from "../../platform/process/version";
import { encodeCommand as command } from "../../platform/redis/resp";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { DRONE_IP, OTHER_DRONE_IP, type RedisEdge, startRedisEdge } from "../../testing/worlds/redis-edge";
import { startEdge } from "../../testing/worlds/start-edge";
import { DroneUsers } from "./drone-users";
import { redisProxy } from "./redis-proxy";

let world: RedisEdge;

beforeAll(async () => {
  world = await startRedisEdge();
});
afterEach(() => world.closeConnections());

test("the edge needs no more rights in Redis than docs/tunnel.md names", async () => {
  const page = readFileSync(join(packageRoot, "docs/tunnel.md"), "utf8");
  const [, rights = ""] = /`ACL SETUSER edge on >… ([^`]+)`/.exec(page) ?? [];
  expect(rights).toContain("+acl|setuser");
  await world.admin.acl("SETUSER", "edge", "on", ">its-password", ...rights.split(" "));
  const url = new URL(world.url);
  url.username = "edge";
  url.password = "its-password";
  const limited = await world.edgeTo(url.href);
  await until(async () => (await world.answered(DRONE_IP, command("PING"), limited)) === "+PONG\r\n");
  await world.admin.acl("SETUSER", "fleet-drone-127.0.9.40", "on");
  await limited.look();
  await until(async () => !((await world.admin.acl("USERS")) as string[]).includes("fleet-drone-127.0.9.40"));
});

test("addresses that are not a live drone's get no byte; a deleted drone loses its connection and its Redis user", async () => {
  const other = await world.say("127.0.9.9", command("PING"));
  await until(() => other.socket.closed);
  expect(other.said()).toBe("");
  const two = await world.say(OTHER_DRONE_IP, command("PING"));
  await until(() => two.said() === "+PONG\r\n");
  expect(await world.admin.acl("USERS")).toContain(`fleet-drone-${OTHER_DRONE_IP}`);
  await world.admin.acl("SETUSER", "fleet-drone-127.0.9.30", "on", "nopass");
  await world.admin.acl("SETUSER", "somebody-else", "on");
  world.edge.live.delete(OTHER_DRONE_IP);
  await world.edge.look();
  await until(() => two.socket.closed);
  const users = await world.admin.acl("USERS");
  expect(users).not.toContain(`fleet-drone-${OTHER_DRONE_IP}`);
  expect(users).not.toContain("fleet-drone-127.0.9.30");
  expect(users).toContain(`fleet-drone-${DRONE_IP}`);
  expect(users).toContain("somebody-else");
});

test("no drone's Redis user is removed before the database has been read", async () => {
  const lost = "127.0.9.50";
  await world.admin.acl("SETUSER", `fleet-drone-${lost}`, "on");
  const fleet = new Map([[lost, { ip: lost as Ipv4, keyId: "a key" }]]);
  let known: typeof fleet | undefined = fleet;
  const redis = { port: 0, url: world.url, secret: "what only the edge knows" };
  const { edge: forgetful } = await startEdge([], { redis, live: () => known });
  known = new Map(fleet);
  const refreshed = forgetful.refresh();
  // While Redis tells its users.
  known = undefined;
  await refreshed;
  expect(await world.admin.acl("USERS")).toContain(`fleet-drone-${lost}`);
});

test("a drone that connects again after a restart of Redis gets its Redis user again", async () => {
  const drone = await world.say(DRONE_IP, command("PING"));
  await until(() => drone.said() === "+PONG\r\n");
  // As a restart does: the user is gone, its connections with it.
  await world.admin.acl("DELUSER", `fleet-drone-${DRONE_IP}`);
  await until(() => drone.socket.closed);
  const again = await world.say(DRONE_IP, command("SUBSCRIBE", `${DRONE_IP}:gamepad_input`));
  await until(() => again.said().includes("subscribe"));
});

test("a drone gets an error while Redis is away, and connects again when it is back", async () => {
  const link = await interruptibleLink(world.url);
  const behind = await world.edgeTo(link.url);
  const ping = () => world.answered(DRONE_IP, command("PING"), behind);
  await until(async () => (await ping()) === "+PONG\r\n");
  const running = world.connectTo(DRONE_IP, behind);
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
  String(await world.admin.client("LIST")).match(new RegExp(` user=fleet-drone-${drone} `, "g"))?.length ?? 0;

test("a drone that disconnects while Redis is dialled leaves no connection there", async () => {
  const users = new DroneUsers(world.admin, "a secret");
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
  const enter = redisProxy({
    url: world.url,
    users: { ensure },
    log: createLogger("test", "silent"),
    onRejected: () => {},
  });
  const closing = once(socket, "close");
  // Nothing else would see the drone go: the proxy reads nothing before it is connected to Redis.
  socket.resume();
  await Promise.all([closing, enter(socket, { ip: "127.0.9.7" as Ipv4, keyId: "a key" })]);
  await until(async () => (await connectionsOf("127.0.9.7")) === 0);
});
