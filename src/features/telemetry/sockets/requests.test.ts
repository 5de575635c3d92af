import { setImmediate as turn } from "node:timers/promises";
import { createLogger } from "../../../platform/process/log";
import type { LinkTarget } from "../../../vehicle";
import { Requests } from "./requests";
import type { Watcher } from "./watcher";

const request = { drone_id: 1, stream_type: "gps" } as const;

test.each(["subscribe", "resume"] as const)(
  "a socket that disconnects during the look-up of %s leaves no watcher behind",
  async (how) => {
    const watched: number[] = [];
    const lookUps: (() => void)[] = [];
    const open = () => {
      const watcher = { socket: { rooms: new Set(), emit: () => {} } } as unknown as Watcher;
      const requests = new Requests(watcher, {
        userId: 1,
        feeds: { watch: (droneId) => watched.push(droneId), unwatch: () => {}, forget: () => {} },
        fleets: { watch: () => {}, unwatch: () => {} },
        find: () =>
          new Promise<LinkTarget>((resolve) => {
            lookUps.push(() => resolve({ key: "drone:1", host: "127.0.0.1", port: 1, via: "direct" }));
          }),
        log: createLogger("test", "silent"),
        changed: () => {},
      });
      if (how === "subscribe") requests.subscribe(request);
      else requests.resume({ streams: [request], fleet: false });
      return requests;
    };
    const disconnected = open();
    await turn();
    disconnected.end();
    open();
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
