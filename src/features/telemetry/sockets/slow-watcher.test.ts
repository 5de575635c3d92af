import { Registry } from "prom-client";
import { WebSocket } from "ws";
import { createLogger } from "../../../platform/process/log";
import { atEndOfFile } from "../../../testing/clean-up";
import { startTelemetryServer } from "../../../testing/fakes/telemetry-server";
import { eventually } from "../../../testing/until";
import type { Subscriber, TelemetryMessage } from "../../../vehicle";

/** A fake pool: keeps who subscribed and says to them what the test says. */
class FakeLinks {
  readonly subscribers = new Set<Subscriber>();

  subscribe(_target: unknown, subscriber: Subscriber | Subscriber["onMessage"]): () => void {
    if (typeof subscriber === "function") throw new Error("This fake takes subscriber objects only.");
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  }

  say(message: TelemetryMessage): void {
    for (const subscriber of this.subscribers) subscriber.onMessage(message);
  }
}

const FRAME_BYTES = 64 * 1024;
const diagnostics = (n: number): TelemetryMessage => ({
  type: "diagnostics",
  data: { status: [{ level: 0, name: String(n), message: "x".repeat(FRAME_BYTES) }] },
});
const log = (n: number): TelemetryMessage => ({ type: "logs", data: { severity: 6, text: String(n) } });

const links = new FakeLinks();
const registry = new Registry();
let url: string;

beforeAll(async () => {
  const target = { key: "drone:1", host: "127.0.0.1", port: 1, via: "direct" as const };
  const deps = { links, find: async () => target, log: createLogger("test", "silent"), registry };
  const port = await startTelemetryServer(deps, 1_000_000);
  url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket&token=t`;
});

/** A watcher of drone 1's dashboard on a bare WebSocket, whose reading can be paused. */
async function bareWatcher() {
  const socket = new WebSocket(url);
  const frames: { type: string; n: number }[] = [];
  let confirmed = false;
  socket.on("message", (raw) => {
    const text = raw.toString();
    if (text.startsWith("0")) socket.send("40");
    if (text.startsWith("2") && text.length === 1) socket.send("3");
    if (text.startsWith("40")) {
      socket.send('42["subscribe_telemetry",{"drone_id":1,"stream_type":"dashboard"}]');
    }
    if (!text.startsWith("42")) return;
    const [event, data] = JSON.parse(text.slice(2));
    if (event === "subscription_confirmed") confirmed = true;
    if (event !== "telemetry_data") return;
    const n = data.type === "logs" ? data.data.text : data.data.status[0].name;
    frames.push({ type: data.type, n: Number(n) });
  });
  atEndOfFile(async () => socket.terminate());
  await eventually("it is subscribed", () => confirmed);
  return {
    socket,
    frames,
    states: () => frames.filter(({ type }) => type === "diagnostics").map(({ n }) => n),
  };
}

const metric = async (line: string) => {
  const text = await registry.metrics();
  return Number(
    text
      .split("\n")
      .find((one) => one.startsWith(line))
      ?.split(" ")
      .at(-1) ?? 0,
  );
};

test("a watcher that reads nothing delays no other watcher, has one frame held for it, and then gets the newest", async () => {
  const [fast, slow] = [await bareWatcher(), await bareWatcher()];
  slow.socket.pause();
  let said = 0;
  let worstDelay = 0;
  const sayAndSee = async () => {
    said += 1;
    const since = performance.now();
    links.say(diagnostics(said));
    await eventually(`the fast watcher saw frame ${said}`, () => fast.states().at(-1) === said);
    worstDelay = Math.max(worstDelay, performance.now() - since);
  };
  const isSlow = () => metric("fleet_telemetry_slow_sockets");
  while ((await isSlow()) === 0 && said < 2_000) await sayAndSee();
  expect(await isSlow()).toBe(1);

  for (let n = 0; n < 300; n++) await sayAndSee();
  expect(await metric('fleet_telemetry_drops_total{reason="slow_socket"')).toBeGreaterThanOrEqual(290);
  expect(worstDelay).toBeLessThan(2_000);

  slow.socket.resume();
  await eventually("the slow watcher has the newest", () => slow.states().at(-1) === said);
  expect(slow.states().length).toBeLessThan(said - 250);
  expect(slow.states()).toEqual([...slow.states()].sort((a, b) => a - b));
  expect(fast.states()).toHaveLength(said);
  await eventually("nobody is slow", async () => (await isSlow()) === 0);
  await sayAndSee();
  await eventually("it keeps up again", () => slow.states().at(-1) === said);
  for (const { socket } of [fast, slow]) socket.terminate();
});

test("a slow watcher is sent the newest hundred log lines in order when it reads again", async () => {
  const [fast, slow] = [await bareWatcher(), await bareWatcher()];
  slow.socket.pause();
  for (let n = 1; (await metric("fleet_telemetry_slow_sockets")) === 0 && n < 2_000; n++) {
    links.say(diagnostics(n));
    await eventually("the fast watcher saw it", () => fast.states().at(-1) === n);
  }
  for (let n = 1; n <= 150; n++) links.say(log(n));
  slow.socket.resume();
  const logs = () => slow.frames.filter(({ type }) => type === "logs").map(({ n }) => n);
  await eventually("the last line", () => logs().at(-1) === 150);
  expect(logs()).toEqual(Array.from({ length: 100 }, (_, index) => index + 51));
  expect(await metric('fleet_telemetry_drops_total{reason="slow_events"')).toBe(50);
  for (const { socket } of [fast, slow]) socket.terminate();
});
