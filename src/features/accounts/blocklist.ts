import type { Clock } from "../../platform/clock";
import type { Redis } from "../../platform/redis";

/** The tokens that were logged out, by `jti`, until their own expiry. */
export interface Blocklist {
  /** Returns whether this call was the first to list it. `expiresAt` in seconds since the epoch. */
  add(jti: string, expiresAt: number): Promise<boolean>;
  has(jti: string): Promise<boolean> | boolean;
  /** Those of the tokens that are listed. */
  listed(jtis: readonly string[]): Promise<readonly string[]>;
  /** Tells of every token that is listed from now on, perhaps more than once: here, and wherever it is heard of. */
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
    listed: async (jtis) => jtis.filter((jti) => entries.has(jti)),
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

/** Where every process is told of a token as it is listed; the message is its `jti`. */
const ADDED_CHANNEL = "blocklist:added";

/** Calls the listener with every message of the channel, also after Redis was away. */
export type Hear = (channel: string, listener: (message: string) => void) => void;

/**
 * Shared by every process and kept across restarts: what the strict profile promises. The kept tokens are listed
 * anew when Redis has lost its data. Without `hear` only what this process lists is told of.
 */
export function redisBlocklist(redis: Redis, clock: Clock, revoked: RevokedTokens, hear?: Hear): Blocklist {
  const key = (jti: string) => `blocklist:${jti}`;
  const listeners = new Listeners();
  const list = async (jti: string, expiresAt: number) => {
    const seconds = Math.max(1, Math.ceil(expiresAt - clock.now().getTime() / 1000));
    return (await redis.set(key(jti), "1", "EX", seconds, "NX")) === "OK";
  };
  const listKept = async () => {
    for (const { jti, expires_at } of await revoked.kept(clock.now())) {
      await list(jti, expires_at.getTime() / 1000);
    }
    await redis.set(COMPLETE, "1");
  };
  const listed = async (jtis: readonly string[]) => {
    if (jtis.length === 0) return [];
    const read = () => redis.mget(COMPLETE, ...jtis.map(key));
    let [complete, ...entries] = await read();
    if (!complete) {
      await listKept();
      [complete, ...entries] = await read();
    }
    return jtis.filter((_jti, at) => entries[at]);
  };
  hear?.(ADDED_CHANNEL, (jti) => listeners.tell(jti));
  return {
    add: async (jti, expiresAt) => {
      const isNew = await revoked.keep(jti, new Date(expiresAt * 1000), clock.now());
      const first = await list(jti, expiresAt);
      listeners.tell(jti);
      // Who does not hear it finds out by looking; the log-out stands.
      await redis.publish(ADDED_CHANNEL, jti).catch(() => {});
      return isNew && first;
    },
    has: async (jti) => (await listed([jti])).length > 0,
    listed,
    onAdded: listeners.on,
  };
}
