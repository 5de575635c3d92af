import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "../../domain/errors";
import type { Redis } from "./client";

/** Counts tries by key, shared by every replica; while Redis is away each process counts for itself. */
export interface RateLimit {
  /** Count one try. Rejects with `too_many_requests` when the allowance is used up. */
  take(key: string): Promise<void>;
  /** Forget the tries of a key, such as after a login that succeeded. */
  forgive(key: string): Promise<void>;
  /** Take one try back, such as that of a successful login under a key that counts other accounts too. */
  giveBack(key: string): Promise<void>;
  /** Count nothing. Rejects with `too_many_requests` when the allowance is used up. */
  check(key: string): Promise<void>;
  /** Tries of a key in the window that runs. */
  used(key: string): Promise<number>;
}

interface RateLimitOptions {
  readonly name: string;
  /** Tries allowed per window; 0 turns the limit off. */
  readonly tries: number;
  readonly seconds: number;
}

export function rateLimit(redis: Redis, { name, tries, seconds }: RateLimitOptions): RateLimit {
  if (tries === 0) return unlimited;
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `limit:${name}`,
    points: tries,
    duration: seconds,
    insuranceLimiter: new RateLimiterMemory({ points: tries, duration: seconds }),
  });
  return {
    take: async (key) => {
      try {
        await limiter.consume(key);
      } catch (refused) {
        throw refused instanceof RateLimiterRes ? tooMany(refused) : refused;
      }
    },
    forgive: async (key) => {
      await limiter.delete(key);
    },
    giveBack: async (key) => {
      await limiter.reward(key);
    },
    check: async (key) => {
      const usage = await limiter.get(key);
      if (usage && usage.consumedPoints >= tries) throw tooMany(usage);
    },
    used: async (key) => Math.min(tries, (await limiter.get(key))?.consumedPoints ?? 0),
  };
}

const nothing = async () => {};
const unlimited: RateLimit = {
  ...{ take: nothing, forgive: nothing, giveBack: nothing, check: nothing },
  used: async () => 0,
};

function tooMany({ msBeforeNext }: RateLimiterRes): DomainError {
  const minutes = Math.max(1, Math.ceil(msBeforeNext / 60_000));
  return new DomainError("too_many_requests", `Too many tries; try again in ${minutes} minute(s).`, {
    retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  });
}
