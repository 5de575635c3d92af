import type { Redis } from "../../../platform/redis/client";
import { DroneState, later } from "./drone-state";

/** A hash of all drones: their newest states, each behind the time of Redis in milliseconds. */
const KEY = "fleet:states";

const WRITE = `
local time = redis.call('TIME')
local now = string.format('%.0f ', time[1] * 1000 + math.floor(time[2] / 1000))
for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], now .. ARGV[i + 1]) end`;

/** Drones' states in Redis, for the other gateways and for this one's next start. Rejects while Redis is unreachable. */
export class StateStore {
  constructor(private readonly redis: Redis) {}

  /** Each is a drone's id and its state as JSON. */
  async write(states: readonly (readonly [number, string])[]): Promise<void> {
    await this.redis.eval(WRITE, 1, KEY, ...states.flat());
  }

  /** Those that are known, as of now. */
  async read(ids: readonly number[]): Promise<DroneState[]> {
    if (ids.length === 0) return [];
    // One connection answers in order: the time is not after that of the states.
    const [[seconds, microseconds], values] = await Promise.all([
      this.redis.time(),
      this.redis.hmget(KEY, ...ids.map(String)),
    ]);
    const now = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return values.flatMap((value) => (value === null ? [] : parse(value, now)));
  }

  async forget(id: number): Promise<void> {
    await this.redis.hdel(KEY, String(id));
  }
}

/** Nothing for a state that another release wrote and this one cannot read. */
function parse(value: string, now: number): DroneState[] {
  const end = value.indexOf(" ");
  const { data } = DroneState.safeParse(JSON.parse(value.slice(end)));
  return data ? [later(data, now - Number(value.slice(0, end)))] : [];
}
