import type { Clock } from "../../platform/process/clock";
import type { Redis } from "../../platform/redis/client";

const DAYS = 30;
const MAX_NETWORKS = 5;

/** The networks of an account's latest logins. While Redis is away no network is known. */
export class KnownNetworks {
  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  async has(account: string, network: string): Promise<boolean> {
    const at = await this.redis.zscore(keyOf(account), network).catch(() => null);
    return at !== null && Number(at) > this.clock.now().getTime() - DAYS * 86_400_000;
  }

  async remember(account: string, network: string): Promise<void> {
    const key = keyOf(account);
    const at = this.clock.now().getTime();
    const changes = this.redis
      .multi()
      .zadd(key, at, network)
      .zremrangebyrank(key, 0, -MAX_NETWORKS - 1)
      .expire(key, DAYS * 86_400);
    await changes.exec().catch(() => undefined);
  }
}

const keyOf = (account: string) => `login:networks:${account}`;
