import { setImmediate as turn } from "node:timers/promises";
import { createLogger } from "../../platform/process/log";
import type { FeedBoard } from "./feed-board";
import { Requests, type WatchedDrone } from "./requests";
import type { Watcher } from "./watcher";

const asked = { drone_id: 1, stream_type: "gps" } as const;

test.each(["subscribe", "resume"] as const)(
  "a socket that goes while the drone that it would %s is looked up leaves nobody behind who watches",
  async (how) => {
    const watched: number[] = [];
    const board = { watch: (droneId: number) => watched.push(droneId), forget: () => {}, greet: () => {} };
    const lookUps: (() => void)[] = [];
    const find = () => {
      const target = { key: "drone:1", host: "127.0.0.1", port: 1, via: "direct" } as const;
      return new Promise<WatchedDrone>((resolve) => void lookUps.push(() => resolve({ target })));
    };
    const requests = () => {
      const watcher = { socket: { rooms: new Set(), emit: () => {} } } as unknown as Watcher;
      const options = { maxStreams: 10, changed: () => {} };
      const log = createLogger("test", "silent");
      return new Requests(watcher, 1, board as unknown as FeedBoard, find, log, options);
    };
    const ask = (one: Requests) => (how === "subscribe" ? one.subscribe(asked) : one.resume([asked]));
    const [goes, stays] = [requests(), requests()];
    ask(goes);
    await turn();
    goes.end();
    ask(stays);
    await turn();
    expect(lookUps).toHaveLength(2);
    lookUps[0]?.();
    await turn();
    expect(watched).toEqual([]);
    lookUps[1]?.();
    await turn();
    expect(watched).toEqual([1]);
  },
);
