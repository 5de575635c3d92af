import { setTimeout as pause } from "node:timers/promises";
import { answer } from "../relay/child";
import { percentile } from "../table";
import { Vehicles } from "./vehicles";
import { Watchers } from "./watchers";

const WATCHERS = 20;
/** Of each vehicle's watchers: the first and the last that a frame is written to, and two between. */
const SAMPLED: ReadonlySet<number> = new Set([0, 6, 13, WATCHERS - 1]);
const CONNECTING_AT_ONCE = 20;

/** Everything outside the server: the vehicles and their watchers. */
const vehicles = new Vehicles();
const watchers = new Watchers();
let watched = 0;

answer({
  vehicles: (count: number) => vehicles.listen(count),
  /** Twenty watchers for each drone up to this one. */
  watch: async (port: number, count: number) => {
    for (; watched < count; watched++) {
      const joins = Array.from(
        { length: WATCHERS },
        (_, index) => () => watchers.join(port, watched + 1, SAMPLED.has(index)),
      );
      for (let at = 0; at < joins.length; at += CONNECTING_AT_ONCE) {
        await Promise.all(joins.slice(at, at + CONNECTING_AT_ONCE).map((join) => join()));
      }
    }
    return watched;
  },
  fly: (count: number) => {
    vehicles.flying = count;
    return vehicles.connected;
  },
  /** p50 and p99 age in milliseconds of the positions that came, and the part that came of those sent. */
  measure: async (flying: number, milliseconds: number) => {
    const cpu = process.cpuUsage();
    watchers.start();
    await pause(milliseconds);
    const { ages, bytes } = watchers.stop();
    const { user, system } = process.cpuUsage(cpu);
    const sent = (flying * SAMPLED.size * 10 * milliseconds) / 1000;
    return {
      p50: percentile(ages, 0.5),
      p99: percentile(ages, 0.99),
      arrived: ages.length / sent,
      megabytesPerSecond: bytes / milliseconds / 1000,
      fieldBusy: (user + system) / 1000 / milliseconds,
    };
  },
});
