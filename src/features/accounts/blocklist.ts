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

/** Where listed tokens outlive Redis' data. */
export interface RevokedTokens {
  /** Returns whether it was not kept before. */
  keep(jti: string, expiresAt: Date, now: Date): Promise<boolean>;
  /** Those that have not expired. */
  kept(now: Date): Promise<readonly { readonly jti: string; readonly expires_at: Date }[]>;
}

/** Gone when Redis has lost its data. */
const COMPLETE = "blocklist-complete";

/**
 * Shared by every replica and kept across restarts: what the strict profile promises. Whoever is given the kept
 * tokens lists them anew when Redis has lost its data; others see them from then on.
 */
export function redisBlocklist(redis: Redis, clock: Clock, revoked?: RevokedTokens): Blocklist {
  const key = (jti: string) => `blocklist:${jti}`;
  const listeners = new Listeners();
  const list = async (jti: string, expiresAt: number) => {
    const seconds = Math.max(1, Math.ceil(expiresAt - clock.now().getTime() / 1000));
    return (await redis.set(key(jti), "1", "EX", seconds, "NX")) === "OK";
  };
  const listKept = async (tokens: RevokedTokens) => {
    for (const { jti, expires_at } of await tokens.kept(clock.now())) {
      await list(jti, expires_at.getTime() / 1000);
    }
    await redis.set(COMPLETE, "1");
  };
  return {
    add: async (jti, expiresAt) => {
      const isNew = (await revoked?.keep(jti, new Date(expiresAt * 1000), clock.now())) ?? true;
      const first = await list(jti, expiresAt);
      listeners.tell(jti);
      return isNew && first;
    },
    has: async (jti) => {
      const [listed, complete] = await redis.mget(key(jti), COMPLETE);
      if (listed || complete || !revoked) return Boolean(listed);
      await listKept(revoked);
      return (await redis.exists(key(jti))) === 1;
    },
    onAdded: listeners.on,
  };
}
