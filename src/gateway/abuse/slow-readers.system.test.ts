import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import { createInBatches, type RawClient, rawClient } from "../../testing/raw-http";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { insertMissions } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

/** Of the gateway. */
const CALLERS = 150;
/** Megabytes that replies of all clients may leave unread. */
const MAX_UNREAD = 64;
/** All that a user may have, in one reply of 17 MB of the longest characters. */
const MISSIONS = { plans: 10, pointsEach: 2_000, label: "漢".repeat(200) };
const REPLY_BYTES = 8_000_000;

let beside: TestGateway;
let gateway: GatewayProcess;
beforeAll(async () => {
  beside = await startTestGateway();
  // As in a pod of 1 GiB: on a large machine V8 would let garbage pile up.
  gateway = await startGatewayProcess(beside, { NODE_OPTIONS: "--max-old-space-size=512" });
}, 60_000);

const apiOf = ({ token }: TestUser) => gateway.api.as(token);

/** Sends a request and reads nothing of the reply. */
async function unread({ token }: TestUser, path: string): Promise<RawClient> {
  const caller = await rawClient(gateway.port);
  caller.socket.pause();
  caller.socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return caller;
}

/** What these were sent until their connections were closed. */
async function readAll(callers: readonly RawClient[]): Promise<string[]> {
  for (const { socket } of callers) socket.resume();
  const closing = setInterval(() => {
    // Connections whose reply was sent completely stay open.
    for (const { socket } of callers) socket.end();
  }, 1_000);
  await Promise.all(callers.map(({ closed }) => closed));
  clearInterval(closing);
  return callers.map(({ received: heard }) => heard());
}

const stalled = async () => (await scrape(gateway.url)).value("fleet_http_stalled_replies_total");

test("150 connections of three users that do not read a long reply are closed in bounded memory, and others are served", async () => {
  const [user, second, third, other] = [
    await beside.newUser(),
    await beside.newUser(),
    await beside.newUser(),
    await beside.newUser(),
  ];
  const users = [user, second, third];
  for (const { id } of users) await insertMissions(beside.deps.db, id, MISSIONS);
  const before = gateway.memory().now;
  const { result, failed } = await probeDuring(apiOf(other), "/missions", async () => {
    const callers = await createInBatches(CALLERS, (at) => unread(users[at % 3] as TestUser, "/missions"));
    await until(async () => (await stalled()) > 0, 60_000);
    // Their requests end, one way or the other.
    await until(async () => (await apiOf(user).get("/user")).status === 200, 60_000);
    return callers;
  });
  // A busy database may keep some waiting for a connection of the pool.
  expect(failed).toBeLessThanOrEqual(1);
  const heard = await readAll(result);
  const cut = heard.filter((text) => text.startsWith("HTTP/1.1 200") && text.length < REPLY_BYTES);
  expect(cut.length).toBeGreaterThan(0);
  // Beside them: replies in the making, a connection of the database each, and what the allocator keeps for later.
  expect(gateway.memory().peak - before).toBeLessThan(8 * MAX_UNREAD);
  expect((await apiOf(user).get("/missions")).body).toHaveLength(MISSIONS.plans);
}, 180_000);

test("20,000 missions of one user are listed eight times at once, and others are served", async () => {
  const user = await beside.newUser();
  const other = await beside.newUser();
  await insertMissions(beside.deps.db, user.id, { plans: 20_000 });
  const { result, slowestMs, failed } = await probeDuring(apiOf(other), "/missions", () =>
    Promise.all(Array.from({ length: 8 }, () => apiOf(user).get("/missions"))),
  );
  for (const { body } of result) expect(body).toHaveLength(20_000);
  expect(failed).toBe(0);
  // Of a busy machine.
  expect(slowestMs).toBeLessThan(4_000);
}, 60_000);
