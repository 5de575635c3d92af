import type { Redis } from "../../platform/redis/client";
import type { Holder } from "./lease-store";
import type { LeasesObserver } from "./leases";

interface OrphansOptions {
  readonly redis: Redis;
  readonly replica: string;
  /** How long a replica is believed to live after it was last heard of, as with its leases. */
  readonly ttlMs: number;
  /** Opens those links that are free now. Resolves with the holders of all. */
  readonly adopt: (keys: readonly string[]) => Promise<readonly Holder[]>;
}

const REPLICAS = "fleet:replicas";
const presence = (replica: string) => `fleet:replica:{${replica}}`;
const linksOf = (replica: string) => `fleet:replica:{${replica}}:links`;

/** Looks in the life of a replica. */
const LOOKS = 10;

/**
 * The links of a killed replica are opened by the others at once: its watchers may still be on their way to another one,
 * and the vehicle waits for a heartbeat. An adopted link that nobody uses is closed like every other.
 *
 * Redis has the names of the replicas, a key of each that lapses with it, and the drones whose links it holds.
 */
export class Orphans implements LeasesObserver {
  private readonly timer: NodeJS.Timeout;
  private looking = false;

  constructor(private readonly options: OrphansOptions) {
    this.timer = setInterval(() => void this.look(), options.ttlMs / LOOKS);
  }

  acquired(key: string): void {
    this.note((redis, links) => redis.sadd(links, key));
  }

  lost(key: string): void {
    this.note((redis, links) => redis.srem(links, key));
  }

  /** Adopts no more, and leaves nothing to adopt but what is still held. */
  end(): void {
    clearInterval(this.timer);
    const { redis, replica } = this.options;
    redis
      .pipeline()
      .srem(REPLICAS, replica)
      .del(presence(replica))
      .exec()
      .catch(() => {});
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    const { redis, replica, ttlMs } = this.options;
    try {
      await Promise.all([redis.set(presence(replica), "", "PX", ttlMs), redis.sadd(REPLICAS, replica)]);
      for (const other of await redis.smembers(REPLICAS)) {
        if (other !== replica && (await redis.exists(presence(other))) === 0) await this.adoptFrom(other);
      }
    } catch {
      // Redis or the database is away: the next look tries again.
    } finally {
      this.looking = false;
    }
  }

  private async adoptFrom(dead: string): Promise<void> {
    const { redis, adopt } = this.options;
    const keys = await redis.smembers(linksOf(dead));
    const holders = keys.length > 0 ? await adopt(keys) : [];
    // Until its last lease has lapsed.
    if (holders.some((holder) => holder.replica === dead)) return;
    await Promise.all([redis.del(linksOf(dead)), redis.srem(REPLICAS, dead)]);
  }

  /** What does not get there is not adopted: then the next order or watcher opens the link. */
  private note(write: (redis: Redis, links: string) => Promise<unknown>): void {
    const { redis, replica } = this.options;
    write(redis, linksOf(replica)).catch(() => {});
  }
}
