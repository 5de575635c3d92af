import type { TelemetryServer } from "./events";
import { FeedBoard } from "./feed-board";
import type { Measures } from "./measures";

const target = { key: "drone:1", host: "127.0.0.1", port: 1, via: "direct" } as const;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a drone that only another replica's watchers want is let go of when that replica asks no more", () => {
  let subscriptions = 0;
  const links = {
    subscribe: () => {
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
      };
    },
  };
  const options = { maxHz: 10, stopWhenUnwatched: true };
  const board = new FeedBoard({} as TelemetryServer, links, options, {} as Measures);
  for (let seconds = 0; seconds < 10; seconds++) {
    board.feed(target, "another replica", { drone_id: 1 });
    jest.advanceTimersByTime(1_000);
    expect([board.drones, subscriptions]).toEqual([1, 1]);
  }
  jest.advanceTimersByTime(5_000);
  expect([board.drones, subscriptions]).toEqual([0, 0]);
  board.closeAll();
});
