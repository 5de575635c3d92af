import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { DomainError } from "../../domain/errors";
import type { Redis } from "./client";
import { RateLimitBatches } from "./rate-limit-batches";

interface RateLimitOptions {
  readonly name: string;
  /** Tries allowed per window; 0 turns the limit off. */
  readonly tries: number;
  readonly seconds: number;
  /** Tries that a process takes from Redis at once. */
  readonly batch?: number;
}

/** Counts tries by key, shared by every replica; while Redis is away each process counts for itself. */
export class RateLimit {
  /** Undefined where the limit is off. */
  private readonly limiter: RateLimiterRedis | undefined;
  /** Undefined where tries are taken one by one. */
  private readonly batches: RateLimitBatches | undefined;
  private readonly tries: number;

  constructor(redis: Redis, { name, tries: points, seconds: duration, batch = 1 }: RateLimitOptions) {
    this.tries = points;
    if (points === 0) return;
    const insuranceLimiter = new RateLimiterMemory({ points, duration });
    const keyPrefix = `limit:${name}`;
    this.limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter,
    });
    if (batch > 1) this.batches = new RateLimitBatches(this.limiter, batch);
  }

  /** Count one try. Rejects with `too_many_requests` when the allowance is used up. */
  async take(key: string): Promise<void> {
    try {
      await (this.batches ? this.batches.take(key) : this.limiter?.consume(key));
    } catch (refused) {
      throw refused instanceof RateLimiterRes ? tooMany(refused) : refused;
    }
  }

  /** Forget the tries of a key, such as after a login that succeeded. */
  async forgive(key: string): Promise<void> {
    await this.limiter?.delete(key);
    this.batches?.drop(key);
  }

  /** Take one try back, such as that of a successful login under a key that counts other accounts too. */
  async giveBack(key: string): Promise<void> {
    await this.limiter?.reward(key);
  }

  /** Count nothing. Rejects with `too_many_requests` when the allowance is used up. */
  async check(key: string): Promise<void> {
    if (this.held(key) > 0) return;
    const usage = await this.limiter?.get(key);
    if (usage && usage.consumedPoints >= this.tries) throw tooMany(usage);
  }

  /** Tries of a key in the window that runs. Tries that other processes hold in a batch count too. */
  async used(key: string): Promise<number> {
    const taken = Math.min(this.tries, (await this.limiter?.get(key))?.consumedPoints ?? 0);
    return Math.max(0, taken - this.held(key));
  }

  private held(key: string): number {
    return this.batches?.held(key) ?? 0;
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes): DomainError {
  const minutes = Math.max(1, Math.ceil(msBeforeNext / 60_000));
  return new DomainError("too_many_requests", `Too many tries; try again in ${minutes} minute(s).`, {
    retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  });
}
