import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import {
  createInBatches,
  type RawClient,
  rawClient,
  rawFrame,
  upgradeRequest,
  withinFileLimit,
} from "../../testing/raw-http";
import { until } from "../../testing/until";
import { startTestGateway, type TestUser } from "../../testing/worlds/start-gateway";

/** Long enough for all to have come before the first is let go of. */
const [HEADERS_SECONDS, REQUEST_SECONDS] = [20, 21];
/** A busy machine that runs many tests at once must not fail these. */
const SLOWEST_ANSWER_MS = 10_000;
const IDLE = withinFileLimit(5_000);

let gateway: GatewayProcess;
let user: TestUser;

beforeAll(async () => {
  const beside = await startTestGateway();
  user = await beside.newUser();
  gateway = await startGatewayProcess(beside, {
    HTTP_REQUEST_SECONDS: String(REQUEST_SECONDS),
    TELEMETRY_MAX_SOCKETS: String(2 * IDLE),
    QUOTA_SOCKETS: String(IDLE),
    HTTP_MAX_CONNECTIONS: String(2 * IDLE),
  });
});

const served = <T>(work: () => Promise<T>) => probeDuring(gateway.api.as(user.token), "/user", work);

/**
 * 300 of them; resolves, when all were disconnected, with the status that each was sent and how long that took. They fall
 * silent shortly before their time is over: Node resets a connection whose next byte arrives while it is closed, and that
 * client may lose the reply.
 */
async function talkSlowly(): Promise<{ statuses: string[]; tookSeconds: number }> {
  const began = performance.now();
  const headers = await createInBatches(150, () => rawClient(gateway.port, "GET /api/v1/user HTTP/1.1\r\n"));
  const head =
    "POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n";
  const bodies = await createInBatches(150, () => rawClient(gateway.port, head));
  const dribble = setInterval(() => {
    for (const { socket } of headers) if (socket.writable) socket.write("a");
    for (const { socket } of bodies) if (socket.writable) socket.write("[");
  }, 250);
  setTimeout(() => clearInterval(dribble), began + (HEADERS_SECONDS - 3) * 1000 - performance.now());
  const callers = [...headers, ...bodies];
  await Promise.all(callers.map(({ closed }) => closed));
  const statuses = callers.map(({ received }) => received().slice(9, 12));
  return { statuses, tookSeconds: (performance.now() - began) / 1000 };
}

/** Opens so many connections and sends nothing on them. */
async function connectSilently(count: number): Promise<RawClient[]> {
  const callers: RawClient[] = [];
  while (callers.length < count) {
    callers.push(
      ...(await createInBatches(Math.min(400, count - callers.length), () => rawClient(gateway.port))),
    );
    // A connection for which the listener's queue has no room is tried again after one second, or three.
    await until(() => gateway.sockets() >= callers.length, HEADERS_SECONDS * 1000, 100);
  }
  return callers;
}

test(`${IDLE} silent connections and 300 that send headers or a body byte by byte are closed, and others are served`, async () => {
  const before = gateway.memory().now;
  const { result, slowestMs, failed } = await served(async () => {
    const idle = await connectSilently(IDLE);
    const [held, open] = [gateway.memory().now, gateway.sockets()];
    const slow = await talkSlowly();
    await Promise.all(idle.map(({ closed }) => closed));
    return { held, open, ...slow };
  });
  expect(result.open).toBeGreaterThanOrEqual(IDLE);
  expect(result.tookSeconds).toBeGreaterThan(HEADERS_SECONDS);
  expect(result.tookSeconds).toBeLessThan(45);
  // One network may have so many requests under way; the others are refused before their time is over.
  expect([...new Set(result.statuses)].toSorted()).toEqual(["408", "429"]);
  expect(failed).toBe(0);
  expect(slowestMs).toBeLessThan(SLOWEST_ANSWER_MS);
  expect(result.held - before).toBeLessThan(100);
}, 90_000);

const PING = Buffer.from([0x81, 1, "2".charCodeAt(0)]);
const PONG = rawFrame({ first: 0x81, payload: Buffer.from("3") });

/** Socket.IO in its barest form: enough to be welcomed, and then nothing but that it is there. */
async function idleWatcher(): Promise<RawClient> {
  const path = `/socket.io/?EIO=4&transport=websocket&token=${user.token}`;
  const caller = await rawClient(gateway.port, upgradeRequest(path));
  caller.socket.on("data", (chunk) => chunk.includes(PING) && caller.socket.write(PONG));
  await until(() => caller.received().includes('"sid"'));
  caller.socket.write(rawFrame({ first: 0x81, payload: Buffer.from("40") }));
  await until(() => caller.received().includes("connected"));
  return caller;
}

test(`${IDLE} silent Socket.IO clients take bounded memory, the next is refused, and others are served`, async () => {
  const before = gateway.memory().now;
  const { result, slowestMs, failed } = await served(async () => {
    const watchers = await createInBatches(IDLE, idleWatcher);
    const [held, open] = [gateway.memory().now, gateway.sockets()];
    const refused = await fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling&token=${user.token}`);
    for (const { socket } of watchers) socket.destroy();
    return { held, open, refused: refused.status };
  });
  expect(result.open).toBeGreaterThanOrEqual(IDLE);
  expect(failed).toBe(0);
  expect(slowestMs).toBeLessThan(SLOWEST_ANSWER_MS);
  expect(result.held - before).toBeLessThan(300);
  expect(result.refused).toBe(429);
}, 120_000);
