import { type AddressInfo, createServer } from "node:net";
import { Redis } from "ioredis";
import { encodeCommand as command } from "../../platform/redis/resp";
import { atEndOfFile } from "../../testing";
import { until } from "../../testing/until";
import { DRONE_IP, OTHER_DRONE_IP, type RedisEdge, startRedisEdge } from "../../testing/worlds/redis-edge";

let world: RedisEdge;

beforeAll(async () => {
  world = await startRedisEdge();
});
afterEach(() => world.closeConnections());

test("a drone publishes and subscribes on its own channels, as a Redis user without other rights", async () => {
  const received: string[] = [];
  const listener = await world.client();
  listener.on("message", (channel, text) => received.push(`${channel} ${text}`));
  await listener.subscribe(`${DRONE_IP}:output`);
  const drone = await world.say(
    DRONE_IP,
    command("SUBSCRIBE", `${DRONE_IP}:gamepad_input`),
    command("PING", "echo"),
  );
  await until(() => drone.said().includes("pong"));
  await world.admin.publish(`${DRONE_IP}:gamepad_input`, "a stick frame ümlaut");
  await until(() => drone.said().includes(Buffer.from("a stick frame ümlaut").toString("latin1")));
  await world.say(DRONE_IP, command("PUBLISH", `${DRONE_IP}:output`, "an answer"));
  await until(() => received.includes(`${DRONE_IP}:output an answer`));

  const acl = (await world.admin.acl("GETUSER", `fleet-drone-${DRONE_IP}`)) as unknown[];
  const rules = Object.fromEntries(
    Array.from({ length: acl.length / 2 }, (_, at) => [acl[2 * at], acl[2 * at + 1]]),
  );
  expect(rules).toMatchObject({
    keys: "",
    channels: ["gamepad_input", "video_source", "video_room_details", "video_room_state"]
      .map((topic) => `&${DRONE_IP}:${topic}`)
      .join(" "),
    selectors: [
      [
        "commands",
        "-@all +publish",
        "keys",
        "",
        "channels",
        `&${DRONE_IP}:output &${DRONE_IP}:aruco_tracking`,
      ],
    ],
  });
  expect(String(rules.commands).split(" ").sort()).toEqual(
    ["+ping", "+subscribe", "+unsubscribe", "-@all"].sort(),
  );
});

test.each([
  ["another drone's channel", ["SUBSCRIBE", `${OTHER_DRONE_IP}:gamepad_input`]],
  [
    "another drone's channel whose address begins alike",
    ["PUBLISH", `${OTHER_DRONE_IP}:gamepad_input`, "{}"],
  ],
  ["a pattern of channels", ["SUBSCRIBE", "*"]],
  ["a channel of its own without a use", ["SUBSCRIBE", `${DRONE_IP}:${"x".repeat(100_000)}`]],
  ["its own pilot's frames to itself", ["PUBLISH", `${DRONE_IP}:gamepad_input`, "{}"]],
  ["what it publishes itself", ["SUBSCRIBE", `${DRONE_IP}:output`]],
  ["the server's facts", ["INFO"]],
  ["the list of clients", ["CLIENT", "LIST"]],
  ["the end of another client", ["CLIENT", "KILL", "TYPE", "normal"]],
])("Redis itself refuses it %s, and the connection goes on", async (_, words) => {
  const drone = await world.say(DRONE_IP, command(...words), command("PING", "still here"));
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
  const drone = await world.say(
    DRONE_IP,
    Buffer.concat([bytes, command("PUBLISH", `${DRONE_IP}:output`, "behind it")]),
  );
  await until(() => drone.socket.closed);
  expect(drone.said()).toMatch(/^-NOPERM [^\r]*\r\n$/);
  expect(await seenByRedis()).toEqual(before);
});

/** What Redis has counted of the commands that could have come through. */
async function seenByRedis(): Promise<string[]> {
  const stats = await world.admin.info("commandstats");
  return stats
    .split("\r\n")
    .filter((line) => /^cmdstat_(publish|hello|reset|get|psubscribe|eval):/.test(line));
}

test("a command that is rejected is also rejected when it arrives byte by byte", async () => {
  const bytes = command("AUTH", "default", "");
  const drone = await world.say(DRONE_IP, ...[...bytes].map((byte) => Buffer.from([byte])));
  await until(() => drone.socket.closed);
  expect(drone.said()).toMatch(/^-NOPERM /);
});

test("commands are forwarded however they are split, with any bytes in their payload", async () => {
  const payload = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const listener = await world.client();
  const received: Buffer[] = [];
  listener.on("messageBuffer", (_channel, message) => received.push(message));
  await listener.subscribe(`${DRONE_IP}:output`);
  const publish = Buffer.concat([
    Buffer.from(
      `*3\r\n$7\r\nPUBLISH\r\n$${DRONE_IP.length + 7}\r\n${DRONE_IP}:output\r\n$${payload.length}\r\n`,
    ),
    payload,
    Buffer.from("\r\n"),
  ]);
  const drone = world.connectTo(DRONE_IP);
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
  const port = await cableFrom(DRONE_IP);
  const client = () => {
    const redis = new Redis({ host: "127.0.0.1", port });
    atEndOfFile(async () => redis.disconnect());
    return redis;
  };
  const [subscriber, publisher] = [client(), client()];
  const received: string[] = [];
  subscriber.on("message", (_channel, text) => received.push(text));
  await subscriber.subscribe(`${DRONE_IP}:gamepad_input`);
  const third = await world.say(DRONE_IP, command("PING"));
  await until(() => third.said() === "+PONG\r\n");
  expect(await publisher.publish(`${DRONE_IP}:output`, "an answer")).toEqual(expect.any(Number));
  await world.admin.publish(`${DRONE_IP}:gamepad_input`, "a frame");
  await until(() => received.includes("a frame"));
  for (const client of [subscriber, publisher]) client.disconnect();
});

/** A port from which connections go on to the edge as from the drone's address, which ioredis cannot choose. */
async function cableFrom(drone: string): Promise<number> {
  const server = createServer((near) => {
    const far = world.connectTo(drone).socket;
    near.on("error", () => far.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}
