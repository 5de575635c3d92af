import { countingDrone, frameNumberOf } from "../../testing/fakes/counting-vehicle";
import { commandCalls } from "../../testing/scrape";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startReplicas, type TestReplicas } from "../../testing/worlds/replicas";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import type { TestGateway, TestUser } from "../../testing/worlds/start-gateway";

const TRANSPORTS = ["websocket", "polling"] as const;
/** Slow enough for a busy machine to send each frame by itself; the newest of several counts for a slow watcher. */
const HERTZ = 5;
const FRAMES = 25;

let replicas: TestReplicas;
let user: TestUser;

beforeAll(async () => {
  replicas = await startReplicas({ TELEMETRY_MAX_HZ: "1000" });
});
beforeEach(async () => {
  user = await replicas.first.newUser();
});

const watchAt = (gateway: TestGateway, transport: (typeof TRANSPORTS)[number] = "websocket") =>
  new TestWatcher(gateway.url, user.token, { transports: [transport] });

test("watchers at both replicas get each frame once and in order, however often they subscribe", async () => {
  const { id, vehicle } = await countingDrone(user.api, HERTZ);
  const { first, second } = replicas;
  const watchers = [first, second].flatMap((gateway) =>
    // The first two of each are one person with two windows open.
    (["websocket", ...TRANSPORTS] as const).map((transport) => watchAt(gateway, transport)),
  );
  const insistent = [first, second, first, second].map((gateway) => watchAt(gateway));
  const extras: unknown[] = [];
  for (const { socket } of [...watchers, ...insistent])
    socket.on("telemetry_data", (_frame, ...more) => extras.push(...more));
  for (const watcher of watchers) await watcher.subscribe(id, "relalt");
  for (const [at, watcher] of insistent.entries()) {
    const beside = at < 2 ? ["relalt"] : ["dashboard"];
    for (const stream of [...beside, "relalt", "relalt", ...beside]) await watcher.subscribe(id, stream);
  }
  const all = [...watchers, ...insistent];
  for (const watcher of all) await eventually("a frame", () => watcher.frames("relalt").length > 0);
  for (const watcher of watchers) watcher.clear();
  const until = vehicle.newest + FRAMES;
  for (const watcher of all)
    await eventually("the last frame", () => watcher.frames("relalt").map(frameNumberOf).includes(until));
  for (const watcher of all) {
    const numbers = watcher.frames("relalt").map(frameNumberOf);
    const [from = 0] = numbers;
    expect(numbers).toEqual(numbers.map((_number, at) => from + at));
    expect(numbers.length).toBeGreaterThanOrEqual(FRAMES);
  }
  expect(extras).toEqual([]);
});

test("a watched drone has one channel in Redis, for as long as a replica watches it", async () => {
  const { first, second } = replicas;
  const { id } = await countingDrone(user.api, HERTZ);
  const channels = async () => (await second.deps.redis.pubsub("CHANNELS", "fleet:telemetry:*")) as string[];
  const name = `fleet:telemetry:${id}`;
  const watchers = [watchAt(first), watchAt(second)];
  for (const watcher of watchers) {
    await watcher.subscribe(id, "relalt");
    await watcher.next("telemetry_data", 3);
  }
  expect(await channels()).toContain(name);
  for (const watcher of watchers) await watcher.unsubscribe(id, "relalt");
  await eventually("the channel is gone", async () => !(await channels()).includes(name));
});

test("frames go through Redis only while a watcher is at another replica", async () => {
  const { first, second } = await startReplicas();
  user = await first.newUser();
  const { id } = await countingDrone(user.api, HERTZ);
  const published = () => commandCalls(second.deps.redis, "publish");
  const own = watchAt(first);
  await own.subscribe(id, "relalt");
  await own.next("telemetry_data", 3);
  const before = await published();
  own.clear();
  await own.next("telemetry_data", 10);
  expect(await published()).toBe(before);
  const other = watchAt(second);
  await other.subscribe(id, "relalt");
  await other.next("telemetry_data", 11);
  // The first may be the greeting.
  expect(await published()).toBeGreaterThanOrEqual(before + 10);
});

test("a new watcher at the other replica gets the newest frames at once", async () => {
  const { id, stop } = await simulatedDrone(user.api);
  const early = watchAt(replicas.first);
  await early.subscribe(id, "dashboard");
  await eventually(
    "home and more",
    () => early.frames("home").length > 0 && early.frames("system").length > 0,
  );
  const late = watchAt(replicas.second);
  await late.subscribe(id, "dashboard");
  await late.next("telemetry_data", 5);
  expect(late.frames()[0]).toEqual(early.frames("home").at(-1));
  await stop();
});

test("frames of a replica that was cut off from Redis do not follow those of the next holder", async () => {
  const { first, second, redisOfFirst } = replicas;
  const { id, vehicle } = await countingDrone(user.api, HERTZ);
  const own = watchAt(first);
  await own.subscribe(id, "relalt");
  await own.next("telemetry_data");
  const other = watchAt(second);
  await other.subscribe(id, "relalt");
  await other.next("telemetry_data", 3);
  redisOfFirst.stall();
  const cutOffAt = vehicle.newest;
  await eventually("the link is closed there", async () => first.deps.links.size === 0);
  await eventually("frames come again", () => frameNumberOf(other.frames().at(-1)) > cutOffAt + 5);
  redisOfFirst.mend();
  await eventually("it is back", async () => (await first.deps.redis.ping().catch(() => "")) === "PONG");
  const backAt = vehicle.newest;
  await eventually("frames still come", () => frameNumberOf(other.frames().at(-1)) > backAt + 3);
  const numbers = other.frames().map(frameNumberOf);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});
