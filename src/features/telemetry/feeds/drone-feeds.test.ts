import type { TelemetryMetrics } from "../metrics";
import { DroneFeeds } from "./drone-feeds";

const target = { key: "drone:1", host: "127.0.0.1", port: 1, via: "direct" } as const;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("the subscription of a drone that only another replica watches ends when that replica stops asking", () => {
  let subscriptions = 0;
  const links = {
    subscribe: () => {
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
      };
    },
  };
  const feeds = new DroneFeeds({
    metrics: {} as TelemetryMetrics,
    links,
    maxHz: 10,
    stopWhenUnwatched: true,
  });
  for (let seconds = 0; seconds < 10; seconds++) {
    feeds.feed(target, "another replica", { drone_id: 1 });
    jest.advanceTimersByTime(1_000);
    expect([feeds.drones, subscriptions]).toEqual([1, 1]);
  }
  jest.advanceTimersByTime(5_000);
  expect([feeds.drones, subscriptions]).toEqual([0, 0]);
  feeds.closeAll();
});
