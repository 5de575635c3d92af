import { type GatewayProcess, gatewayProcess, meanwhile } from "../../testing/programs/gateway-process";
import { many, type RawCaller, rawCaller } from "../../testing/raw-http";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { insertMissions } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

const MEGABYTE = 2 ** 20;
const STALL_SECONDS = 6;
/** Of one caller, and of all. */
const [OF_CALLER, OF_ALL] = [10 * MEGABYTE, 40 * MEGABYTE];
/** A mission of 5,000 points with the longest labels. */
const MISSION = { plans: 1, pointsEach: 5_000, label: "x".repeat(1_000) };
const MISSION_BYTES = 6.4 * MEGABYTE;
/** Replies of one caller that are made at once, which no limit knows of before they are made. */
const IN_THE_MAKING = 2;
/** What a reply takes while it is made: the database's bytes, their text, and its own bytes twice. */
const COPIES = 4;

let beside: TestGateway;
let gateway: GatewayProcess;
beforeAll(async () => {
  beside = await startTestGateway();
  gateway = await gatewayProcess(beside, {
    HTTP_REPLY_STALL_SECONDS: String(STALL_SECONDS),
    HTTP_MAX_UNREAD_BYTES_PER_CALLER: String(OF_CALLER),
    HTTP_MAX_UNREAD_BYTES: String(OF_ALL),
  });
}, 60_000);

const apiOf = ({ token }: TestUser) => gateway.api.as(token);

/** Asks, and reads nothing of the reply. */
async function unread({ token }: TestUser, path: string): Promise<RawCaller> {
  const caller = await rawCaller(gateway.port);
  caller.socket.pause();
  caller.socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return caller;
}

/** What these heard until they were hung up on. */
async function readAll(callers: readonly RawCaller[]): Promise<string[]> {
  for (const { socket } of callers) socket.resume();
  const hangUp = setInterval(() => {
    // Who was sent all there is keeps his connection.
    for (const { socket } of callers) socket.end();
  }, 1_000);
  await Promise.all(callers.map(({ closed }) => closed));
  clearInterval(hangUp);
  return callers.map(({ heard }) => heard());
}

const told = async () => {
  const metrics = await scrape(gateway.url);
  return {
    unread: metrics.value("fleet_http_unread_reply_bytes"),
    stalled: metrics.value("fleet_http_stalled_replies_total"),
    refused: metrics.value("fleet_http_long_replies_refused_total"),
  };
};

const allOver = () => until(async () => (await told()).unread === 0, 60_000);

async function withMission(): Promise<{ user: TestUser; path: string }> {
  const user = await beside.newUser();
  const [id] = await insertMissions(beside.deps.db, user.id, MISSION);
  return { user, path: `/mission/${id}` };
}

test("150 connections of one user that read nothing of a long mission hold little, and are hung up on", async () => {
  const { user, path } = await withMission();
  const other = await beside.newUser();
  const before = gateway.memory().now;
  const { result, failed } = await meanwhile(apiOf(other), "/missions", async () => {
    const callers = await many(150, () => unread(user, path));
    await until(async () => (await told()).refused > 100, 30_000);
    const { unread: held } = await told();
    await allOver();
    return { callers, held };
  });
  expect(failed).toBe(0);
  expect(result.held).toBeLessThan(OF_CALLER + IN_THE_MAKING * MISSION_BYTES);
  const bound = (OF_CALLER + IN_THE_MAKING * COPIES * MISSION_BYTES) / MEGABYTE;
  // What the memory's manager keeps for later comes to as much again.
  expect(gateway.memory().peak - before).toBeLessThan(2 * bound);
  const heard = await readAll(result.callers);
  const cut = heard.filter((text) => text.startsWith("HTTP/1.1 200") && text.length < MISSION_BYTES);
  expect((await told()).stalled).toBeGreaterThan(0);
  expect(cut.length).toBeGreaterThan(0);
  expect(heard.filter((text) => text.startsWith("HTTP/1.1 429")).length).toBeGreaterThan(100);
  expect((await apiOf(user).get(path)).body.mission_points).toHaveLength(5_000);
}, 120_000);

test("who leaves too much unread is told so for long replies only, and once all leave too much whoever leaves any", async () => {
  const leaving = await Promise.all([1, 2, 3, 4].map(withMission));
  const third = await withMission();
  const callers: RawCaller[] = [];
  for (const { user, path } of leaving) {
    const { unread: held } = await told();
    callers.push(await unread(user, path), await unread(user, path));
    await until(async () => (await told()).unread > held + OF_CALLER);
  }
  expect((await apiOf(third.user).get(third.path)).status).toBe(200);
  const { unread: before } = await told();
  callers.push(await unread(third.user, third.path));
  await until(async () => (await told()).unread > before);
  const user = leaving[0]?.user as TestUser;
  const refused = await apiOf(user).get("/missions");
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining("yet to read") } });
  expect(refused.headers.get("retry-after")).toBe("5");
  const events = await apiOf(user).get("/calendar/events");
  expect(events).toMatchObject({ status: 429, body: { success: false, error: { code: 429 } } });
  const busy = await apiOf(third.user).get(third.path);
  expect([busy.status, busy.body.error]).toEqual([503, expect.stringContaining("Too much")]);
  expect(busy.headers.get("retry-after")).toBe("5");
  for (const one of [user, third.user]) expect((await apiOf(one).get("/user")).status).toBe(200);
  await allOver();
  await readAll(callers);
  expect((await apiOf(third.user).get(third.path)).status).toBe(200);
  expect((await apiOf(user).get("/missions")).status).toBe(200);
}, 60_000);

test("calendars that nobody reads are bounded too", async () => {
  const user = await beside.newUser();
  const drone = { type: "sitl", name: "planned", vehicle_type: "copter" };
  const { id } = (await user.api.post("/drone", drone)).body;
  await beside.deps.db.raw(
    `INSERT INTO calendar_events (user_id, drone_id, title, description, scheduled_time)
    SELECT ?, ?, 'flight ' || n, repeat('x', 2000), '2031-01-01T00:00:00Z'::timestamptz + n * interval '1 minute'
    FROM generate_series(1, 5000) AS n`,
    [user.id, id],
  );
  const path = "/calendar/events?start=2031-01-01T00:00:00Z&end=2031-02-01T00:00:00Z";
  const before = await told();
  const callers = await many(8, () => unread(user, path));
  await until(async () => (await told()).unread > OF_CALLER);
  await allOver();
  expect((await told()).stalled).toBeGreaterThan(before.stalled);
  await readAll(callers);
  expect((await apiOf(user).get(path)).body.data.length).toBeGreaterThan(1_000);
}, 60_000);

test("twenty thousand missions of one user are listed eight times at once, and another is served meanwhile", async () => {
  const user = await beside.newUser();
  const other = await beside.newUser();
  await insertMissions(beside.deps.db, user.id, { plans: 20_000 });
  const { result, slowestMs, failed } = await meanwhile(apiOf(other), "/missions", () =>
    Promise.all(Array.from({ length: 8 }, () => apiOf(user).get("/missions"))),
  );
  for (const { body } of result) expect(body).toHaveLength(20_000);
  expect(failed).toBe(0);
  // Of a busy machine.
  expect(slowestMs).toBeLessThan(4_000);
}, 60_000);
