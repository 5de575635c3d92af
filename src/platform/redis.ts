import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "./log";

export type { Redis };

/**
 * A Redis connection that fails fast: while it is down a command is refused at once instead of queued,
 * because a late answer is worth nothing to a pilot. It reconnects by itself.
 */
export function openRedis(url: string, log: Logger, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5_000,
    commandTimeout: 1_000,
    // A goodbye to a server that is gone holds the process up no longer than this.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    ...options,
  });
  let down = false;
  redis.on("error", (error) => {
    if (!down) log.error({ err: error }, "Redis is unreachable; retrying");
    down = true;
  });
  redis.on("ready", () => {
    if (down) log.info("Redis is back");
    down = false;
  });
  return redis;
}

/** Wait for the first connection; rejects after `timeoutMs`. */
export async function redisReady(redis: Redis, timeoutMs = 2_000): Promise<void> {
  if (redis.status === "ready") return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("Redis did not answer in time.")), timeoutMs);
    redis.once("ready", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
