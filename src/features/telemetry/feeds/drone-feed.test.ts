import type { TelemetryFrame, TelemetryServer } from "../events";
import type { TelemetryMetrics } from "../metrics";
import type { Watcher } from "../sockets/watcher";
import type { TelemetryType } from "../streams";
import { DroneFeed } from "./drone-feed";
import type { FrameChannel, OnFrame } from "./frame-channel";

const frame = (type: TelemetryType): TelemetryFrame => ({ type, drone_id: 1, data: {} });

/** A feed, the frames that its rooms were sent, and what another replica publishes. */
function feedWithRooms() {
  const sent: string[] = [];
  const room = { emit: (_event: string, { type }: TelemetryFrame) => sent.push(type) };
  let onFrame: OnFrame = () => {};
  const channel = {
    subscribe: (_drone: number, listener: OnFrame) => {
      onFrame = listener;
      return () => {};
    },
  };
  const feed = new DroneFeed(1, {
    io: { to: () => room } as unknown as TelemetryServer,
    metrics: {} as TelemetryMetrics,
    maxHz: 10,
    channel: channel as unknown as FrameChannel,
  });
  const publish = (type: TelemetryType, fence: number, sequence: number) =>
    onFrame(frame(type), { fence, sequence });
  return { feed, sent, publish };
}

/** A watcher that keeps up, and the frames that were sent to it alone. */
function watcherOf() {
  const greeted: string[] = [];
  const emit = (_event: string, { type }: TelemetryFrame) => greeted.push(type);
  const watcher = { socket: { id: "a socket", emit }, slow: false, noticeStall: () => {}, enter: () => {} };
  return { watcher: watcher as unknown as Watcher, greeted };
}

test("a frame that is not later than the last of its type, or comes from a deposed holder, is dropped", () => {
  const { feed, sent, publish } = feedWithRooms();
  feed.add(watcherOf().watcher, "dashboard");
  publish("gps", 2, 5);
  publish("gps", 2, 5);
  publish("gps", 2, 4);
  publish("hud", 1, 9);
  expect(sent).toEqual(["gps"]);
  publish("hud", 2, 3);
  publish("gps", 3, 1);
  expect(sent).toEqual(["gps", "hud", "gps"]);
});

test("a frame that the holder's answer brought is not sent again when it comes through Redis", () => {
  const { feed, sent, publish } = feedWithRooms();
  feed.add(watcherOf().watcher, "gps");
  feed.receiveNewest({
    state: "up",
    newest: [{ frame: frame("gps"), age_ms: 20, offset: { fence: 1, sequence: 7 } }],
  });
  publish("gps", 1, 6);
  publish("gps", 1, 7);
  publish("gps", 1, 8);
  expect(sent).toEqual(["gps", "gps"]);
});

test("a new watcher is sent the newest frame of each type, home first, and no other that is older than ten seconds", () => {
  const { feed, sent } = feedWithRooms();
  const { watcher, greeted } = watcherOf();
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
  const { feed } = feedWithRooms();
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
