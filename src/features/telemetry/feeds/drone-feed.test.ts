import { setImmediate as turn } from "node:timers/promises";
import type { TelemetryFrame } from "../events";
import type { TelemetryMetrics } from "../metrics";
import type { Watcher } from "../sockets/watcher";
import type { TelemetryType } from "../streams";
import { DroneFeed } from "./drone-feed";
import type { FrameBatch } from "./frame-batch";
import type { FrameChannel, OnFrame } from "./frame-channel";

const frame = (type: TelemetryType): TelemetryFrame => ({ type, drone_id: 1, data: {} });

/** A feed, and what another replica publishes. */
function feedOfReplica() {
  let onFrame: OnFrame = () => {};
  const channel = {
    subscribe: (_drone: number, listener: OnFrame) => {
      onFrame = listener;
      return () => {};
    },
  };
  const feed = new DroneFeed(1, {
    metrics: {} as TelemetryMetrics,
    maxHz: 10,
    channel: channel as unknown as FrameChannel,
  });
  const publish = (type: TelemetryType, fence: number, sequence: number) =>
    onFrame(frame(type), { fence, sequence });
  return { feed, publish };
}

/** A watcher that keeps up, the frames that it was greeted with, and those that it was sent together. */
function watcherOf() {
  const greeted: string[] = [];
  const sent: string[][] = [];
  const emit = (_event: string, { type }: TelemetryFrame) => greeted.push(type);
  const send = ({ frames }: FrameBatch) => sent.push(frames.map(({ frame }) => frame.type));
  const watcher = { socket: { id: "a socket", emit }, send, enter: () => {} };
  return { watcher: watcher as unknown as Watcher, greeted, sent };
}

test("a frame that is not later than the last of its type, or comes from a deposed holder, is dropped", async () => {
  const { feed, publish } = feedOfReplica();
  const { watcher, sent } = watcherOf();
  feed.add(watcher, "dashboard");
  publish("gps", 2, 5);
  publish("gps", 2, 5);
  publish("gps", 2, 4);
  publish("hud", 1, 9);
  await turn();
  publish("hud", 2, 3);
  publish("gps", 3, 1);
  await turn();
  expect(sent).toEqual([["gps"], ["hud", "gps"]]);
});

test("a frame that the holder's answer brought is not sent again when it comes through Redis", async () => {
  const { feed, publish } = feedOfReplica();
  const { watcher, sent } = watcherOf();
  feed.add(watcher, "gps");
  feed.receiveNewest({
    state: "up",
    newest: [{ frame: frame("gps"), age_ms: 20, offset: { fence: 1, sequence: 7 } }],
  });
  publish("gps", 1, 6);
  publish("gps", 1, 7);
  publish("gps", 1, 8);
  await turn();
  expect(sent).toEqual([["gps", "gps"]]);
});

test("a new watcher is sent the newest frame of each type, home first, and no other that is older than ten seconds", () => {
  const { feed } = feedOfReplica();
  const { watcher, greeted, sent } = watcherOf();
  feed.receiveNewest({
    state: "up",
    newest: [
      { frame: frame("relalt"), age_ms: 10_500 },
      { frame: frame("hud"), age_ms: 9_000 },
      { frame: frame("home"), age_ms: 10_500 },
    ],
  });
  feed.add(watcher, "dashboard");
  expect(greeted).toEqual(["home", "hud"]);
  expect(sent).toEqual([]);
});

test("a watcher of two streams is greeted once with the types that both carry", () => {
  const { feed } = feedOfReplica();
  const { watcher, greeted } = watcherOf();
  feed.receiveNewest({
    state: "up",
    newest: [
      { frame: frame("gps"), age_ms: 0 },
      { frame: frame("hud"), age_ms: 0 },
    ],
  });
  feed.add(watcher, "gps");
  feed.add(watcher, "dashboard");
  expect(greeted).toEqual(["gps", "hud"]);
});

test("each watcher is sent a frame once, those of a turn together, and those before it came by its greeting alone", async () => {
  const { feed, publish } = feedOfReplica();
  const [both, narrow, late] = [watcherOf(), watcherOf(), watcherOf()];
  feed.add(both.watcher, "gps");
  feed.add(both.watcher, "dashboard");
  feed.add(narrow.watcher, "system");
  publish("gps", 1, 1);
  publish("system", 1, 2);
  publish("diagnostics", 1, 3);
  feed.add(late.watcher, "dashboard");
  publish("hud", 1, 4);
  await turn();
  expect(both.sent).toEqual([["gps", "system", "diagnostics"], ["hud"]]);
  expect(narrow.sent).toEqual([["system", "diagnostics"]]);
  expect([late.greeted, late.sent]).toEqual([["gps", "system", "diagnostics"], [["hud"]]]);
});
