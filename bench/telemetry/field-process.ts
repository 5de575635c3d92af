import { setTimeout as pause } from "node:timers/promises";
import { answer } from "../relay/child";
import { percentile } from "../table";
import { Vehicles } from "./vehicles";
import { bareWebSocket, socketIo, Watchers } from "./watchers";

/** The watchers of each fifth vehicle are sampled. */
const SAMPLED_EACH = 5;
const CONNECTING_AT_ONCE = 20;

/** Everything outside the server: the vehicles and their watchers. */
const vehicles = new Vehicles();
const watchers = new Watchers();
let watched = 0;
let sampled = 0;

answer({
  vehicles: (count: number) => vehicles.listen(count),
  /** So many watchers for each drone up to this one; without a token those of a bare WebSocket server. */
  watch: async (port: number, count: number, watchersOfEach: number, token?: string | null) => {
    const joins: (() => Promise<void>)[] = [];
    for (; watched < count; watched++) {
      const drone = watched + 1;
      const isSampled = drone % SAMPLED_EACH === 0;
      const greeting = token ? socketIo(drone, token) : bareWebSocket(drone);
      for (let each = 0; each < watchersOfEach; each++) {
        joins.push(() => watchers.join(port, greeting, isSampled));
        if (isSampled) sampled += 1;
      }
    }
    for (let at = 0; at < joins.length; at += CONNECTING_AT_ONCE) {
      await Promise.all(joins.slice(at, at + CONNECTING_AT_ONCE).map((join) => join()));
    }
    return watched;
  },
  leave: () => {
    watchers.leave();
    watched = 0;
    sampled = 0;
    return true;
  },
  fly: (count: number) => {
    vehicles.flying = count;
    return vehicles.connected;
  },
  away: (away: boolean) => {
    vehicles.setAway(away);
    return true;
  },
  /** Ages in milliseconds of the positions that came, the part that came of those sent, and what was lost of a stream. */
  measure: async (milliseconds: number) => {
    const cpu = process.cpuUsage();
    watchers.start();
    await pause(milliseconds);
    const { ages, lost, bytes } = watchers.stop();
    const { user, system } = process.cpuUsage(cpu);
    return {
      p50: percentile(ages, 0.5),
      p99: percentile(ages, 0.99),
      arrived: ages.length / ((sampled * 10 * milliseconds) / 1000),
      lost: lost / (ages.length + lost),
      megabytesPerSecond: bytes / milliseconds / 1000,
      fieldBusy: (user + system) / 1000 / milliseconds,
    };
  },
});
