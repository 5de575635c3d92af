import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, onboardConfig } from "../platform/config";
import { createLogger } from "../platform/process/log";
import { openRedis, type Redis, redisReady } from "../platform/redis/client";
import { atEndOfFile, freshFolder, freshRedis } from "../testing";
import { TestSticks } from "../testing/sticks";
import { eventually } from "../testing/until";
import { type InterruptibleLink, interruptibleLink } from "../testing/worlds/interruptible-link";
import { startTestSimulator, type TestVehicle, type TestVehicleOptions } from "../testing/worlds/simulator";
import type { VehicleLink } from "../vehicle";
import { dialDirect } from "../vehicle/dialers/direct";
import { openMavlinkLink } from "../vehicle/mavlink/link";
import { type Onboard, startOnboard } from ".";

const quiet = createLogger("test", "silent");
let redisUrl: string;
let redis: Redis;
let listener: Redis;
let drones = 0;

beforeAll(async () => {
  redisUrl = (await freshRedis()).url;
  redis = openRedis(redisUrl, quiet);
  listener = openRedis(redisUrl, quiet);
  // Each test hears its own drone by it.
  listener.setMaxListeners(0);
  atEndOfFile(async () => redis.disconnect());
  atEndOfFile(async () => listener.disconnect());
  await Promise.all([redisReady(redis), redisReady(listener)]);
});

interface World {
  readonly ip: string;
  readonly vehicle: TestVehicle;
  /** A ground station beside the agent, which arms the vehicle and chooses its mode. */
  readonly station: VehicleLink;
  readonly agent: Onboard;
  readonly pilot: TestSticks;
  /** Everything said on the drone's `output` channel. */
  readonly answers: Record<string, unknown>[];
}

type Env = Record<string, string>;

async function world(
  options: Partial<TestVehicleOptions> = {},
  env: Env | ((vehicle: TestVehicle) => Promise<Env>) = {},
): Promise<World> {
  const ip = `10.71.240.${++drones}`;
  const simulator = await startTestSimulator([{ kind: "copter", onboardPort: 0, ...options }], 4);
  atEndOfFile(() => simulator.stop());
  const vehicle = simulator.vehicle;
  const signal = AbortSignal.timeout(5_000);
  const stream = await dialDirect({ key: ip, host: vehicle.host, port: vehicle.port, via: "direct" }, signal);
  const station = await openMavlinkLink(stream, { systemId: 245 }, signal);
  atEndOfFile(async () => station.close("the tests are over"));
  const answers: Record<string, unknown>[] = [];
  listener.on("message", (channel, text) => {
    if (channel === `${ip}:output`) answers.push(JSON.parse(text));
  });
  await listener.subscribe(`${ip}:output`);
  const agent = await startOnboard(
    loadConfig(onboardConfig, {
      DRONE_IP: ip,
      ONBOARD_PORT: "0",
      REDIS_URL: redisUrl,
      ONBOARD_VEHICLE: `127.0.0.1:${vehicle.onboardPort}`,
      LOG_LEVEL: "silent",
      ...(typeof env === "function" ? await env(vehicle) : env),
    }),
  );
  atEndOfFile(() => agent.lifecycle.stop("the tests are over"));
  const pilot = new TestSticks((frame) => void redis.publish(`${ip}:gamepad_input`, frame));
  atEndOfFile(async () => pilot.letGo());
  const both = () => agent.subscribed && agent.autopilot.vehicle !== undefined;
  await eventually("the agent hears both sides", both);
  return { ip, vehicle, station, agent, pilot, answers };
}

/** In the air, in a mode that the sticks fly. */
async function flown(
  options: Partial<TestVehicleOptions> = {},
  mode = "LOITER",
  env?: Parameters<typeof world>[1],
): Promise<World> {
  const it = await world(options, env);
  await it.station.setMode(mode);
  await it.station.arm();
  it.pilot.hold({ throttle: 1 });
  await eventually("the climb", () => it.vehicle.state.relativeAltitude > 5);
  return it;
}

const acks = ({ answers }: World) => answers.filter(({ type }) => type === "ack");

test("a copter in LOITER follows the sticks, and the pilot gets an acknowledgement of each frame", async () => {
  const it = await flown();
  const before = it.vehicle.state.position.lat;
  it.pilot.hold({ pitch: 1 });
  await eventually("the flight north", () => it.vehicle.state.position.lat > before + 0.00005);
  const accepted = acks(it).filter((ack) => ack.accepted);
  expect(accepted.length).toBeGreaterThan(5);
  expect(accepted.at(-1)).toMatchObject({
    session: it.pilot.session,
    mode: "LOITER",
    armed: true,
    state: "steering",
  });
  for (const { age_ms } of accepted) expect(age_ms).toBeLessThanOrEqual(300);
});

test("when the frames stop, the copter stops in BRAKE within seconds, and the agent sends no more sticks", async () => {
  const it = await flown();
  it.pilot.hold({ pitch: 1 });
  await eventually("speed", () => it.vehicle.state.groundSpeed > 5);
  it.pilot.letGo();
  const since = performance.now();
  await eventually("the brake", () => it.vehicle.state.mode === "BRAKE");
  const took = performance.now() - since;
  expect(took).toBeGreaterThan(400);
  expect(took).toBeLessThan(1_500);
  await eventually("standing", () => it.vehicle.state.groundSpeed < 0.5);
  await eventually("the end of all sticks", () => it.agent.sticks.state === "idle");
  expect(it.vehicle.state.relativeAltitude).toBeGreaterThan(3);
});

test("a pilot who returns steers at once, after setting the mode again", async () => {
  const it = await flown();
  it.pilot.letGo();
  await eventually("the brake", () => it.vehicle.state.mode === "BRAKE");
  it.pilot.hold({ pitch: 1 });
  await eventually("steering", () => it.agent.sticks.state === "steering");
  expect(it.vehicle.state.mode).toBe("BRAKE");
  await it.station.setMode("LOITER");
  await eventually("speed", () => it.vehicle.state.groundSpeed > 5);
});

test("a vehicle on its mission gets no stop when the frames stop", async () => {
  const it = await flown();
  await it.station.setMode("RTL");
  it.pilot.letGo();
  await eventually("the end of steering", () => it.agent.sticks.state === "idle");
  expect(it.vehicle.state.mode).toBe("RTL");
});

test("a rover drives backwards, and holds when the frames stop", async () => {
  const it = await world({ kind: "rover" });
  await it.station.setMode("MANUAL");
  await it.station.arm();
  const before = it.vehicle.state.position.lat;
  it.pilot.hold({ throttle: -1 });
  await eventually("the way south", () => it.vehicle.state.position.lat < before - 0.00003);
  it.pilot.letGo();
  await eventually("the hold", () => it.vehicle.state.mode === "HOLD");
});

test("a PX4 copter holds its place when the frames stop", async () => {
  const it = await world({ autopilot: "px4" });
  await it.station.arm();
  it.pilot.hold({ throttle: 1 });
  await it.station.setMode("POSCTL");
  await eventually("the climb", () => it.vehicle.state.relativeAltitude > 5);
  it.pilot.letGo();
  await eventually("the end of the dead-man's work", () => it.agent.sticks.state === "idle");
  // Sticks that spring back would take a hold over, and a landing would be next.
  expect(it.vehicle.state.mode).toBe("AUTO_LOITER");
});

test("a vehicle whose link was lost when the frames stopped is stopped as soon as the link is back", async () => {
  let networkLink: InterruptibleLink | undefined;
  const it = await flown({}, "LOITER", async (vehicle) => {
    networkLink = await interruptibleLink(`tcp://${vehicle.host}:${vehicle.onboardPort}`);
    return { ONBOARD_VEHICLE: new URL(networkLink.url).host };
  });
  networkLink?.cut();
  await eventually("the loss of the autopilot", () => it.agent.autopilot.vehicle === undefined);
  it.pilot.letGo();
  await eventually("the end of steering", () => it.agent.sticks.state === "stopping");
  expect(it.vehicle.state.mode).toBe("LOITER");
  networkLink?.mend();
  await eventually("the brake", () => it.vehicle.state.mode === "BRAKE");
  await eventually("the end of the dead-man's work", () => it.agent.sticks.state === "idle");
});

test("health, readiness and metrics describe the agent's state, on loopback", async () => {
  const it = await flown();
  const ready = await fetch(`${it.agent.url}/readyz`);
  expect(it.agent.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: "ready", dependencies: { redis: "up", autopilot: "up" } },
  ]);
  expect((await fetch(`${it.agent.url}/healthz`)).status).toBe(200);
  it.pilot.letGo();
  await eventually("the brake", () => it.vehicle.state.mode === "BRAKE");
  const metrics = await (await fetch(`${it.agent.url}/metrics`)).text();
  expect(metrics).toMatch(/^fleet_onboard_stick_frames_total\{outcome="accepted",process="onboard"\} [1-9]/m);
  expect(metrics).toMatch(/^fleet_onboard_autopilot_connected\{process="onboard"\} 1$/m);
  expect(metrics).toMatch(/^fleet_onboard_dead_man_total\{process="onboard"\} 1$/m);
  expect(metrics).not.toContain(it.ip);
});

test("a stop of the agent stops the vehicle it steers", async () => {
  const it = await flown();
  await it.agent.lifecycle.stop("a test");
  expect(it.vehicle.state.mode).toBe("BRAKE");
});

test("only the newest of several frames that arrive together is acted on", async () => {
  const it = await flown();
  it.pilot.letGo();
  const before = acks(it).length;
  const burst = redis.pipeline();
  const frames = Array.from({ length: 60 }, () => it.pilot.frame());
  for (const frame of frames) burst.publish(`${it.ip}:gamepad_input`, frame);
  await burst.exec();
  const { t } = JSON.parse(frames.at(-1) as string);
  await eventually("an answer to the last", () => acks(it).some((ack) => ack.t === t));
  expect(acks(it).length - before).toBeLessThan(10);
});

test("an invalid stick frame is refused with the reason and moves nothing", async () => {
  const it = await world();
  await redis.publish(`${it.ip}:gamepad_input`, '{"t":1,"session":"a","axes":{"roll":0}}');
  await eventually("an answer", () => acks(it).length > 0);
  expect(acks(it)[0]).toMatchObject({
    accepted: false,
    reason: "invalid",
    detail: expect.stringContaining("axes"),
  });
  expect(it.agent.sticks.state).toBe("idle");
});

test("video messages reach the configured command, with their topic", async () => {
  const file = join(freshFolder("video"), "messages");
  const it = await world(
    {},
    { ONBOARD_VIDEO_COMMAND: `{ printf '%s ' "$VIDEO_TOPIC"; cat; echo; } >> '${file}'` },
  );
  await redis.publish(`${it.ip}:video_source`, '{"source":"TEST"}');
  await redis.publish(`${it.ip}:video_room_state`, '{"room_number":1,"status":"STOP"}');
  await eventually("both answers", () => it.answers.filter(({ type }) => type === "video").length === 2);
  expect(readFileSync(file, "utf8")).toBe(
    'video_source {"source":"TEST"}\nvideo_room_state {"room_number":1,"status":"STOP"}\n',
  );
  expect(it.answers.filter(({ ok }) => ok === true)).toHaveLength(2);
});
