import { randomUUID } from "node:crypto";
import { DomainError } from "../../domain/errors";
import type { Clock } from "../../platform/process/clock";
import type { Redis } from "../../platform/redis/client";

/** The tokens that were logged out, by `jti`, until their own expiry. */
export interface Blocklist {
  /** `expiresAt` in seconds since the epoch. */
  add(jti: string, expiresAt: number): Promise<void>;
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
      entries.set(jti, expiresAt);
      listeners.tell(jti);
    },
    has: (jti) => entries.has(jti),
    listed: async (jtis) => jtis.filter((jti) => entries.has(jti)),
    onAdded: listeners.on,
  };
}

export interface RevokedToken {
  readonly jti: string;
  readonly expires_at: Date;
}

/** Where listed tokens outlive Redis' data. */
export interface RevokedTokens {
  /** Returns whether it was not kept before. */
  keep(jti: string, expiresAt: Date, now: Date): Promise<boolean>;
  /** The next of those that have not expired, in order of `jti`, at most so many. */
  kept(now: Date, after: string, limit: number): Promise<readonly RevokedToken[]>;
}

/**
 * There when the kept tokens are listed, and gone when Redis has lost its data: a number that grows with every token,
 * so that data put back from a backup are known by one smaller than before.
 */
const COMPLETE = "blocklist-complete";

/** Only where there is one: it alone says that the others are listed. */
const COUNT = `return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('INCR', KEYS[1]) or 0`;

/** There while a list is made: Redis that loses it meanwhile has lost what was listed before. */
const LISTING = "blocklist-listing";
const LISTING_SECONDS = 300;
/** Who logs out without an end leaves tens of thousands, which neither fit one answer nor may hold everybody up. */
const LISTED_AT_ONCE = 1_000;

const SET_COMPLETE = `
if redis.call('DEL', KEYS[2]) == 0 then return 0 end
local complete = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[1])) + 1
redis.call('SET', KEYS[1], complete)
return complete`;

/** A list that is incomplete again as soon as it is made helps nobody. */
const MOST_LISTINGS = 3;

/**
 * How far processes' clocks may be apart: a token that has expired by the clock of who lists it may be good by another's
 * for so long.
 */
const CLOCKS_APART_SECONDS = 600;

/** Where every process is told of a token as it is listed; the message is its `jti`. */
const ADDED_CHANNEL = "blocklist:added";

/** Calls the listener with every message of the channel, also after Redis was away. */
export type Hear = (channel: string, listener: (message: string) => void) => void;

/**
 * Shared by every process and kept across restarts: what the strict profile promises. Each process lists the kept
 * tokens anew when Redis has lost its data, when it has older ones than before, and on each new connection, behind
 * which may be a server that was started from a backup or was a replica that lagged. Without `hear` only what this
 * process lists is told of.
 */
export function redisBlocklist(redis: Redis, clock: Clock, revoked: RevokedTokens, hear?: Hear): Blocklist {
  const key = (jti: string) => `blocklist:${jti}`;
  const listeners = new Listeners();
  let connection = 0;
  let listedOn: number | undefined;
  let highest = 0;
  /** A log-out that Redis has, or was given older data, or it has expired. */
  let witness: string | undefined;
  let listing: Promise<void> | undefined;
  redis.on("close", () => {
    connection += 1;
  });
  const secondsUntil = (expiresAt: number) =>
    Math.max(1, Math.ceil(expiresAt - clock.now().getTime() / 1000));
  const saw = (complete: number) => {
    highest = Math.max(highest, complete);
  };
  const listSome = async (some: readonly RevokedToken[]) => {
    const pipeline = redis.pipeline();
    for (const { jti, expires_at } of some)
      pipeline.set(key(jti), "1", "EX", secondsUntil(expires_at.getTime() / 1000), "NX");
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  };
  const listKept = async () => {
    const on = connection;
    witness = undefined;
    // Of each process its own: one that is through takes nobody else's away.
    const mark = `${LISTING}:${randomUUID()}`;
    await redis.set(mark, "1", "EX", LISTING_SECONDS);
    const now = clock.now();
    let some: readonly RevokedToken[];
    let after = "";
    do {
      some = await revoked.kept(now, after, LISTED_AT_ONCE);
      await listSome(some);
      after = some.at(-1)?.jti ?? after;
    } while (some.length === LISTED_AT_ONCE);
    const complete = Number(await redis.eval(SET_COMPLETE, 2, COMPLETE, mark, highest));
    saw(complete);
    if (complete > 0) listedOn = on;
  };
  const listed = async (jtis: readonly string[]) => {
    if (jtis.length === 0) return [];
    for (let listings = 0; listings <= MOST_LISTINGS; listings++) {
      const known = witness === undefined ? COMPLETE : key(witness);
      const [found, witnessed, ...entries] = await redis.mget(COMPLETE, known, ...jtis.map(key));
      const complete = Number(found ?? 0);
      if (listedOn === connection && complete > 0 && complete >= highest && witnessed) {
        saw(complete);
        return jtis.filter((_jti, at) => entries[at]);
      }
      listing ??= listKept().finally(() => {
        listing = undefined;
      });
      await listing;
    }
    throw new DomainError("unavailable", "Redis does not keep which tokens were logged out.");
  };
  hear?.(ADDED_CHANNEL, (jti) => {
    witness = jti;
    listeners.tell(jti);
  });
  return {
    add: async (jti, expiresAt) => {
      const until = expiresAt + CLOCKS_APART_SECONDS;
      await revoked.keep(jti, new Date(until * 1000), clock.now());
      await redis.set(key(jti), "1", "EX", secondsUntil(until), "NX");
      saw(Number(await redis.eval(COUNT, 1, COMPLETE)));
      witness = jti;
      listeners.tell(jti);
      // Who does not hear it finds out by looking; the log-out stands.
      await redis.publish(ADDED_CHANNEL, jti).catch(() => {});
    },
    has: async (jti) => (await listed([jti])).length > 0,
    listed,
    onAdded: listeners.on,
  };
}
