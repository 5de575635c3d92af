import { Tokens } from "../features/accounts";
import { systemClock } from "../platform/process/clock";
import { flood } from "../testing/flood";
import type { MeasuredProcess } from "../testing/programs/measured-process";
import { startRelayProcess } from "../testing/programs/relay-process";
import {
  createInBatches,
  type RawClient,
  rawClient,
  rawFrame,
  rawStatuses,
  upgradeRequest,
  withinFileLimit,
} from "../testing/raw-http";
import { scrape } from "../testing/scrape";
import { until } from "../testing/until";
import { TEST_JWT_SECRET } from "../testing/worlds/start-gateway";
import { startTestRelay, type TestDrone, TestPilot, type TestRelay } from "../testing/worlds/start-relay";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

const HEADERS_SECONDS = 4;
/** The drone's dead-man time. A frame that comes later has stopped the aircraft. */
const DEAD_MAN_MS = 500;
const IDLE = withinFileLimit(2_000);
const DRONES = 20;
/** Raw clients answer no ping; each is served for so long at least. */
const PING_SECONDS = 20;

/** The relay with the database and Redis; no test attacks it. */
let beside: TestRelay;
let target: MeasuredProcess;
let steered: TestDrone;
let drones: TestDrone[];

beforeAll(async () => {
  beside = await startTestRelay();
  target = await startRelayProcess(beside, {
    HTTP_REQUEST_SECONDS: String(HEADERS_SECONDS),
    RELAY_MAX_SESSIONS: String(IDLE + 1),
    QUOTA_RELAY_SESSIONS: "0",
    RELAY_PING_SECONDS: String(PING_SECONDS),
  });
  steered = await beside.newDrone();
  drones = await Promise.all(Array.from({ length: DRONES }, () => beside.newDrone()));
});

/** A pilot that sends twenty frames a second; `ages` holds each frame's delay in milliseconds. */
async function steering<T>(work: () => Promise<T>): Promise<{ result: T; late: number; frames: number }> {
  const pilot = await new TestPilot(`${target.url.replace("http", "ws")}/redispad/${steered.id}`).open();
  const subscriber = await beside.redis();
  const ages: number[] = [];
  subscriber.on("message", (_channel, sentAt) => ages.push(performance.now() - Number(sentAt)));
  await subscriber.subscribe(`${steered.ip}:gamepad_input`);
  let sent = 0;
  const send = () => {
    pilot.send(String(performance.now()));
    sent += 1;
  };
  await until(() => {
    send();
    return ages.length > 0;
  });
  const sticks = setInterval(send, 50);
  try {
    const result = await work();
    const last = sent;
    await until(() => ages.length >= last);
    expect(pilot.closedWith).toBeUndefined();
    return { result, late: ages.filter((age) => age > DEAD_MAN_MS).length, frames: ages.length };
  } finally {
    clearInterval(sticks);
    pilot.socket.terminate();
    subscriber.disconnect();
  }
}

/** The fewest, on a machine that has nothing else to do; this one may run a dozen programs on two cores. */
const expectServed = ({ late, frames }: { late: number; frames: number }) => {
  expect(frames).toBeGreaterThan(0);
  expect(late / frames).toBeLessThan(0.5);
};

/** The code of the close frame that was heard, if one was; each such frame is the last. */
function closeCodeOf(caller: RawClient): number | undefined {
  const heard = Buffer.from(caller.received(), "latin1");
  const frames = heard.subarray(heard.indexOf("\r\n\r\n") + 4);
  const at = frames.lastIndexOf(0x88);
  return at < 0 || frames.length < at + 4 ? undefined : frames.readUInt16BE(at + 2);
}

/** A session's bare socket, which answers nothing and reads all. */
async function session({ id }: TestDrone): Promise<RawClient> {
  const caller = await rawClient(target.port, upgradeRequest(`/redispad/${id}`));
  await until(() => caller.received().includes("101 Switching Protocols"));
  return caller;
}

/** What a killed client's socket still holds is read before its end is seen, or a ping fails. */
const nobodyIsLeft = () =>
  until(
    async () => (await scrape(target.url)).value("fleet_relay_sessions") === 0,
    (PING_SECONDS + 25) * 1_000,
  );

test("a client that sends its handshake byte by byte is disconnected, and sticks arrive meanwhile", async () => {
  const began = performance.now();
  const served = await steering(async () => {
    const callers = await createInBatches(300, () =>
      rawClient(target.port, `GET /redispad/${steered.id} HTTP/1.1\r\n`),
    );
    const dribble = setInterval(() => {
      for (const { socket } of callers) if (socket.writable) socket.write("a");
    }, 250);
    await Promise.all(callers.map(({ closed }) => closed));
    clearInterval(dribble);
    return callers;
  });
  expect((performance.now() - began) / 1000).toBeGreaterThan(HEADERS_SECONDS);
  expect([...new Set(served.result.map(({ received: heard }) => heard().slice(9, 12)))]).toEqual(["408"]);
  expectServed(served);
});

test(`${IDLE} connections that send nothing are closed, and sticks arrive meanwhile`, async () => {
  const before = target.memory().now;
  const served = await steering(async () => {
    const callers = await createInBatches(IDLE, () => rawClient(target.port));
    // The system takes a connection before the process has it.
    await until(() => target.sockets() >= IDLE);
    const held = target.memory().now;
    await Promise.all(callers.map(({ closed }) => closed));
    return { held };
  });
  expect(served.result.held - before).toBeLessThan(100);
  expectServed(served);
});

test(`${IDLE} sessions that send nothing use bounded memory, the next is closed with 1013, and sticks arrive`, async () => {
  const before = target.memory().now;
  const served = await steering(async () => {
    const idle = await createInBatches(IDLE, (at) => session(drones[at % DRONES] as TestDrone));
    await until(async () => (await scrape(target.url)).value("fleet_relay_sessions") === IDLE + 1);
    const [held, open] = [target.memory().now, target.sockets()];
    const next = new TestPilot(`${target.url.replace("http", "ws")}/redispad/${steered.id}`);
    const refused = await next.closed;
    for (const { socket } of idle) socket.destroy();
    return { held, open, refused };
  });
  expect(served.result.open).toBeGreaterThanOrEqual(IDLE);
  expect(served.result.held - before).toBeLessThan(200);
  expect(served.result.refused).toEqual({
    code: 1013,
    reason: "This relay has as many sessions as it may; connect again in a moment.",
  });
  expect((await scrape(target.url)).value("fleet_relay_sessions_refused_total")).toBe(1);
  expectServed(served);
  await nobodyIsLeft();
});

const text = (payload: Buffer | string) => rawFrame({ first: 0x81, payload: Buffer.from(payload) });
const malformed: [what: string, frames: Buffer, code: number][] = [
  ["a text of 64 KiB and a byte", text("a".repeat(65_537)), 1009],
  [
    "a text that says it has 2^62 bytes",
    rawFrame({ first: 0x81, payload: Buffer.from("a"), length: 2n ** 62n }),
    1009,
  ],
  ["a text without a mask", rawFrame({ first: 0x81, payload: Buffer.from("a"), masked: false }), 1002],
  ["reserved bits", rawFrame({ first: 0xb1, payload: Buffer.from("a") }), 1002],
  ["a compressed text", rawFrame({ first: 0xc1, payload: Buffer.from("a") }), 1002],
  ["an unknown kind of frame", rawFrame({ first: 0x83, payload: Buffer.from("a") }), 1002],
  ["a text that is no UTF-8", text(Buffer.from([0xc3, 0x28])), 1007],
  ["the middle of nothing", rawFrame({ first: 0x00, payload: Buffer.from("a") }), 1002],
  [
    "a text within a text",
    Buffer.concat([rawFrame({ first: 0x01, payload: Buffer.from("a") }), text("b")]),
    1002,
  ],
  ["a ping in pieces", rawFrame({ first: 0x09, payload: Buffer.from("a") }), 1002],
  ["a ping of 126 bytes", rawFrame({ first: 0x89, payload: Buffer.alloc(126) }), 1002],
  ["a goodbye of one byte", rawFrame({ first: 0x88, payload: Buffer.from("a") }), 1002],
  ["bytes", rawFrame({ first: 0x82, payload: Buffer.from("a") }), 1003],
  [
    "a text in a hundred pieces",
    Buffer.concat([
      rawFrame({ first: 0x01, payload: Buffer.from("a") }),
      ...Array.from({ length: 99 }, () => rawFrame({ first: 0x00, payload: Buffer.from("a") })),
    ]),
    1008,
  ],
];

test("an invalid or too large frame ends its own session with its code, and sticks arrive", async () => {
  const served = await steering(async () => {
    const codes: [string, number | undefined][] = [];
    for (const [what, frames] of malformed) {
      const caller = await session(drones[0] as TestDrone);
      caller.socket.write(frames);
      await caller.closed;
      codes.push([what, closeCodeOf(caller)]);
    }
    return codes;
  });
  expect(served.result).toEqual(malformed.map(([what, , code]) => [what, code]));
  expectServed(served);
});

test("floods of the largest frames, of pings and of pieces, unread, cost bounded memory, and sticks arrive", async () => {
  const before = target.memory().now;
  const floods: Readonly<Record<string, Buffer>> = {
    "the largest frames": text("a".repeat(65_000)),
    pings: Buffer.concat(
      Array.from({ length: 500 }, () => rawFrame({ first: 0x89, payload: Buffer.alloc(125) })),
    ),
    pongs: Buffer.concat(
      Array.from({ length: 500 }, () => rawFrame({ first: 0x8a, payload: Buffer.alloc(125) })),
    ),
    "empty texts": Buffer.concat(Array.from({ length: 5_000 }, () => text(""))),
  };
  for (const [what, batch] of Object.entries(floods)) {
    const served = await steering(async () => {
      const paths = drones.slice(0, 8).map(({ id }) => `/redispad/${id}`);
      const flooding = flood(target.url, paths, batch);
      const seen = () => flooding.written > 1_000_000 && performance.now() - began > 1_500;
      const began = performance.now();
      await until(seen);
      const held = target.memory().now;
      flooding.stop();
      return { held };
    });
    expect([what, served.result.held - before < 150]).toEqual([what, true]);
    expectServed(served);
    // The next flood needs the sessions of this one.
    await nobodyIsLeft();
  }
});

const upgrade = (line: string, more = "") => upgradeRequest("/x", more).replace("GET /x HTTP/1.1", line);
const get = (path: string) => upgrade(`GET ${path} HTTP/1.1`);
const tricks: [what: string, bytes: () => string | Buffer, statuses: number[]][] = [
  ["two slashes", () => get(`//redispad/${steered.id}`), [404]],
  ["a way up", () => get(`/x/../redispad/${steered.id}/../../etc`), [404]],
  ["an encoded slash", () => get(`/redispad%2f${steered.id}`), [404]],
  ["an encoded digit", () => get("/redispad/%31"), [404]],
  ["a sign", () => get(`/redispad/-${steered.id}`), [404]],
  ["a fraction", () => get(`/redispad/${steered.id}.0`), [404]],
  ["another script's digits", () => get("/redispad/%D9%A1"), [404]],
  ["more behind it", () => get(`/redispad/${steered.id}/more`), [404]],
  ["another's authority", () => get(`//evil.example.com/redispad/${steered.id}`), [404]],
  ["a broken escape", () => get("/redispad/%zz"), [404]],
  ["no port of a drone's", () => get(`/gamepad/${steered.id}?port=65536`), [404]],
  ["a port with a space", () => get(`/gamepad/${steered.id}?port=22%20`), [404]],
  ["a port of another base", () => get(`/gamepad/${steered.id}?port=0x16`), [404]],
  ["a way that ends well", () => get(`/x/../redispad/${steered.id}`), [404]],
  ["the absolute form", () => get(`http://evil.example.com/redispad/${steered.id}`), [404]],
  ["a NUL", () => get("/redispad/\0"), [400]],
  ["a path of 60 kB", () => get(`/redispad/${"1".repeat(60_000)}`), [431]],
  [
    "a header of 60 kB",
    () => upgrade(`GET /redispad/1 HTTP/1.1`, `X-Long: ${"a".repeat(60_000)}\r\n`),
    [431],
  ],
  ["a NUL in a header", () => upgrade("GET /redispad/1 HTTP/1.1", "X-A: \0\r\n"), [400]],
  ["a name with a space", () => upgrade("GET /redispad/1 HTTP/1.1", "X-A : b\r\n"), [400]],
  ["another method", () => upgrade("POST /redispad/1 HTTP/1.1"), [405]],
  ["no key", () => get("/redispad/1").replace(/Sec-WebSocket-Key.*\r\n/, ""), [400]],
  [
    "an invalid key",
    () => get("/redispad/1").replace(/Sec-WebSocket-Key.*\r\n/, "Sec-WebSocket-Key: a\r\n"),
    [400],
  ],
  ["another version", () => get("/redispad/1").replace("Version: 13", "Version: 12"), [400]],
  ["another protocol", () => get("/redispad/1").replace("Upgrade: websocket", "Upgrade: h2c"), [404]],
  [
    "a length and chunks",
    () => upgrade("GET /redispad/1 HTTP/1.1", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
    [400],
  ],
  ["no method", () => "\r\n\r\nGARBAGE\r\n\r\n", [400]],
  ["TLS", () => Buffer.from("16030100ff010000fb0303", "hex"), [400]],
];

test.each(tricks)(
  "%s in place of a handshake is refused once, and opens nothing",
  async (_what, bytes, statuses) => {
    const answered = await rawStatuses(target.port, bytes());
    expect([answered.length, statuses.includes(answered[0] ?? 0), answered]).toEqual([1, true, answered]);
    expect((await scrape(target.url)).value("fleet_relay_sessions")).toBe(0);
  },
);

test("a drone id beyond the column's range is an unknown drone", async () => {
  const pilot = new TestPilot(`${target.url.replace("http", "ws")}/redispad/${"9".repeat(400)}`);
  expect((await pilot.closed).code).toBe(4404);
  expect(pilot.frames).toEqual(["Drone not found"]);
});

test("a client whose handshake is refused and that does not hang up is disconnected", async () => {
  const callers = await createInBatches(50, () => rawClient(target.port, get("/nothing")));
  const before = performance.now();
  // Nothing is read: the refusal's end is never seen, and never answered.
  for (const { socket } of callers) socket.pause();
  await until(() => target.sockets() < 30, 10_000);
  expect(performance.now() - before).toBeLessThan(10_000);
});

/** A drone, and where its owner opens a session with it. */
async function owned(relay: TestRelay): Promise<{ drone: TestDrone; path: string }> {
  const drone = await relay.newDrone();
  const { access_token } = new Tokens(TEST_JWT_SECRET, systemClock).pair(drone.user_id);
  return { drone, path: `/redispad/${drone.id}?access_token=${access_token}` };
}

/** A session that hears its drone; throws when it is refused. */
async function live(relay: TestRelay, drone: TestDrone, path: string): Promise<TestPilot> {
  const redis = await relay.redis();
  const pilot = await relay.pilot(path).open();
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.includes("hello") || pilot.closedWith !== undefined;
  });
  if (pilot.closedWith) throw new Error(`It is refused: ${pilot.closedWith.reason}`);
  return pilot;
}

test("a user has as many authorized sessions as the quota allows; the next is refused until one has ended", async () => {
  const strict = await startTestRelay({ ACCESS_PROFILE: "strict", QUOTA_RELAY_SESSIONS: "2" }, beside);
  const { drone, path } = await owned(strict);
  const otherUser = strict.pilot(`/redispad/${drone.id}?access_token=none`);
  const [first, second] = [await live(strict, drone, path), await live(strict, drone, path)];
  expect((await otherUser.closed).code).toBe(4401);
  const third = strict.pilot(path);
  expect(await third.closed).toEqual({
    code: 4429,
    reason:
      "The quota relay_sessions is used up (2 per user: sessions with one relay). Close some. Then try again.",
  });
  const refused = async () =>
    (await scrape(strict.url)).value("fleet_quota_refusals_total", { quota: "relay_sessions" });
  expect(await refused()).toBe(1);
  const other = await owned(strict);
  await live(strict, other.drone, other.path);
  first.socket.close();
  await until(() => live(strict, drone, path).then(() => true));
  expect(second.closedWith).toBeUndefined();
});
