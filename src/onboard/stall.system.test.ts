import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { compileOnLoad } from "../platform/process/program";
import { packageRoot } from "../platform/process/version";
import { atEndOfFile, freshFolder } from "../testing";
import { type MavlinkPeer, startPeer } from "../testing/fakes/mavlink-peer";
import { Namespace } from "../testing/system/namespaces";
import { until } from "../testing/until";
import { build } from "../vehicle/mavlink/wire/codec";
import { common } from "../vehicle/mavlink/wire/messages";
import { MAX_FRAME_AGE_MS } from "./frame-age";

jest.setTimeout(60_000);

/**
 * Redis on one node and the agent on another, with a real network between them that a test stalls: packets are
 * dropped, TCP holds everything back and delivers it late. Pilot and autopilot are here and share one clock.
 */
const IP = "10.71.240.9";
const GROUND = "192.0.2.1";
const DO_SET_MODE = 176;
const LOITER = 5;
const EVERY_MS = 40;

let ground: Namespace;
let autopilot: MavlinkPeer;
let redis: Redis;
const state = { baseMode: 0x81, customMode: LOITER };
/** A frame's number travels as its roll. */
const sentAt: number[] = [];
const acted: { readonly number: number; readonly ageMs: number; readonly at: number }[] = [];
const neutralAt: number[] = [];
const acks: { readonly accepted: boolean; readonly reason: string | null }[] = [];

const stall = () => ground.shell("iptables -I INPUT -i drone -j DROP\niptables -I OUTPUT -o drone -j DROP");
const mend = () => ground.shell("iptables -D INPUT -i drone -j DROP\niptables -D OUTPUT -o drone -j DROP");

function started(child: ChildProcess): ChildProcess {
  atEndOfFile(async () => void child.kill("SIGKILL"));
  return child;
}

beforeAll(async () => {
  const folder = freshFolder("stall");
  ground = await Namespace.create("ground");
  const drone = await Namespace.create("drone");
  await ground.link(drone, { name: "drone", ip: `${GROUND}/24` }, { name: "eth0", ip: "192.0.2.2/24" });

  const socket = join(folder, "redis.sock");
  const settings = [
    "--bind",
    GROUND,
    "--protected-mode",
    "no",
    "--unixsocket",
    socket,
    "--save",
    "",
    "--dir",
    folder,
  ];
  const [enter = "", ...inside] = ground.prefix;
  started(spawn(enter, [...inside, "redis-server", ...settings], { stdio: "ignore" }));
  redis = new Redis(socket, { retryStrategy: () => 50 });
  redis.on("error", () => {});
  const listener = redis.duplicate();
  listener.on("error", () => {});
  atEndOfFile(async () => {
    redis.disconnect();
    listener.disconnect();
  });
  listener.on("message", (_, text) => {
    const words = JSON.parse(text);
    if (words.type === "ack") acks.push(words);
  });
  await until(() => listener.subscribe(`${IP}:output`));

  autopilot = await startPeer({ state });
  atEndOfFile(() => autopilot.close());
  autopilot.on(common.ManualControl, ({ x, y }) => {
    const at = performance.now();
    const number = y + 1_000;
    if (x === 0) neutralAt.push(at);
    else acted.push({ number, at, ageMs: at - (sentAt[number] ?? Number.NaN) });
  });
  autopilot.on(common.CommandLong, ({ command, _param2: mode }) => {
    if (command === DO_SET_MODE) state.customMode = mode;
    const [from] = autopilot.received.slice(-1);
    const to = { targetSystem: from?.systemId ?? 0, targetComponent: from?.componentId ?? 0 };
    autopilot.send(build(common.CommandAck, { command, result: 0, ...to }));
  });
  const path = join(folder, "autopilot.sock");
  const bridge = createServer((near) => {
    const far = connect(autopilot.port, autopilot.host);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => bridge.listen(path, resolve));
  atEndOfFile(async () => void bridge.close());
  const port = await drone.forward(path);

  const environment = {
    DRONE_IP: IP,
    ONBOARD_PORT: "0",
    REDIS_URL: `redis://${GROUND}:6379`,
    ONBOARD_VEHICLE: `127.0.0.1:${port}`,
    LOG_LEVEL: "silent",
  };
  const words = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const node = ["env", "-C", packageRoot, ...words, process.execPath, "--require", compileOnLoad];
  const [program = "", ...args] = [...drone.prefix, ...node, "cmd/onboard.ts"];
  started(spawn(program, args, { stdio: "inherit" }));

  const frames = setInterval(() => {
    const number = sentAt.length;
    const t = performance.now();
    sentAt.push(t);
    const axes = { roll: (number - 1_000) / 1_000, pitch: 0.5, throttle: 0, yaw: 0 };
    const frame = JSON.stringify({ t, session: "a pilot", axes });
    redis.publish(`${IP}:gamepad_input`, frame).catch(() => {});
  }, EVERY_MS);
  atEndOfFile(async () => clearInterval(frames));
  await until(() => acted.length > 10);
});

test.each([0.8, 3, 10])("after a stall of %d s no frame older than 300 ms is acted on", async (seconds) => {
  state.customMode = LOITER;
  await until(() => acted.at(-1) !== undefined && performance.now() - (acted.at(-1)?.at ?? 0) < 200);
  const before = acks.length;
  await stall();
  const stalledAt = performance.now();
  await delay(seconds * 1_000);
  await mend();
  const mendedAt = performance.now();
  await until(() => acted.filter(({ at }) => at > mendedAt).length > 10);

  // The dead-man's work was done meanwhile.
  const centred = neutralAt.find((at) => at > stalledAt) ?? Number.NaN;
  expect(centred - stalledAt).toBeLessThan(MAX_FRAME_AGE_MS + 800);
  expect(state.customMode).toBe(17);
  const during = acted.filter(({ at }) => at > stalledAt);
  expect(Math.max(...during.map(({ ageMs }) => ageMs))).toBeLessThanOrEqual(MAX_FRAME_AGE_MS);
  // The shortest stall ends before the agent gives the connection up: the held frames did come, and were refused.
  if (seconds < 1) expect(acks.slice(before).some(({ reason }) => reason === "old")).toBe(true);
});
