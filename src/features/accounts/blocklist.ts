import type { Clock } from "../../platform/clock";
import type { Redis } from "../../platform/redis";

/** The tokens that were logged out, by `jti`, until their own expiry. */
export interface Blocklist {
  /** Returns whether this call was the first to list it. `expiresAt` in seconds since the epoch. */
  add(jti: string, expiresAt: number): Promise<boolean>;
  has(jti: string): Promise<boolean> | boolean;
  /** Tells of every token that this process lists from now on. */
  onAdded(listener: (jti: string) => void): void;
}

/** Whoever must hear of a log-out at once. */
class Listeners {
  private readonly all: ((jti: string) => void)[] = [];

  readonly on = (listener: (jti: string) => void): void => void this.all.push(listener);

  tell(jti: string): void {
    for (const listener of this.all) listener(jti);
  }
}

/** Of this process, and gone with it: what the contract profile promises. */
export function memoryBlocklist(clock: Clock): Blocklist {
  const entries = new Map<string, number>();
  const now = () => clock.now().getTime() / 1000;
  const listeners = new Listeners();
  return {
    add: async (jti, expiresAt) => {
      for (const [known, expiry] of entries) if (expiry < now()) entries.delete(known);
      const first = !entries.has(jti);
      entries.set(jti, expiresAt);
      listeners.tell(jti);
      return first;
    },
    has: (jti) => entries.has(jti),
    onAdded: listeners.on,
  };
}

/** Shared by every replica and kept across restarts: what the strict profile promises. */
export function redisBlocklist(redis: Redis, clock: Clock): Blocklist {
  const key = (jti: string) => `blocklist:${jti}`;
  const listeners = new Listeners();
  return {
    add: async (jti, expiresAt) => {
      const seconds = Math.max(1, Math.ceil(expiresAt - clock.now().getTime() / 1000));
      const first = (await redis.set(key(jti), "1", "EX", seconds, "NX")) === "OK";
      listeners.tell(jti);
      return first;
    },
    has: async (jti) => (await redis.exists(key(jti))) === 1,
    onAdded: listeners.on,
  };
}
