import { LRUCache } from "lru-cache";
import type { RateLimiterRedis } from "rate-limiter-flexible";

/** Beyond it the keys used longest ago are dropped; the uses that were held for them count as used. */
const MAX_KEYS = 10_000;

interface Batch {
  /** Uses that this process may still make. */
  left: number;
  /** When their window ends, at the latest; by `performance.now()`. */
  readonly endsAt: number;
}

/**
 * Takes the uses of a key from Redis in batches and holds what is left of each until its window ends. All processes
 * together allow no more than the limit. One of them may refuse while others hold uses.
 */
export class RateLimitBatches {
  private readonly batches = new LRUCache<string, Batch>({ max: MAX_KEYS });
  private readonly underWay = new Map<string, Promise<void>>();

  /** `size`: uses in a batch. */
  constructor(
    private readonly limiter: RateLimiterRedis,
    private readonly size: number,
  ) {}

  /** Rejects with a `RateLimiterRes` when the limit is used up. */
  async take(key: string): Promise<void> {
    let batch = this.live(key);
    while (!batch) {
      await this.fetch(key);
      batch = this.live(key);
    }
    batch.left--;
  }

  /** Uses that this process has taken from Redis and not made. */
  held(key: string): number {
    return this.live(key)?.left ?? 0;
  }

  drop(key: string): void {
    this.batches.delete(key);
  }

  private live(key: string): Batch | undefined {
    const batch = this.batches.get(key);
    return batch && batch.left > 0 && performance.now() < batch.endsAt ? batch : undefined;
  }

  /** Takes that find nothing held wait for one batch together. */
  private fetch(key: string): Promise<void> {
    const fetched = this.underWay.get(key) ?? this.fetchAlone(key).finally(() => this.underWay.delete(key));
    this.underWay.set(key, fetched);
    return fetched;
  }

  private async fetchAlone(key: string): Promise<void> {
    // The window's end is counted from here, so that it is never later than in Redis.
    const asked = performance.now();
    // As `consume`, but resolves beyond the limit as well: a part of the last batch may be within it.
    const counted = await this.limiter.penalty(key, this.size);
    const left = this.size - Math.max(0, counted.consumedPoints - this.limiter.points);
    if (left <= 0) throw counted;
    this.batches.set(key, { left, endsAt: asked + counted.msBeforeNext });
  }
}
