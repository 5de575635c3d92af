import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "../process/log";
import { withTimeout } from "../with-timeout";
import { CONNECT_MS } from "./resp";

export type { Redis };

const PING_MS = 1_000;
/** A server that lost its power leaves a half-open connection, which otherwise fails after a quarter of an hour. */
const REPLY_MS = 2_000;

/**
 * A Redis connection that fails fast and reconnects by itself. While it is down, commands fail at once. Commands under
 * way when it breaks fail and are not sent again: a late answer is useless to a pilot, and a command that was reported as
 * failed must not take effect later.
 */
export function openRedis(url: string, log: Logger, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: 1_000,
    // A connection that leaves a command unanswered for longer is replaced.
    socketTimeout: REPLY_MS,
    // Longest wait for the server when the connection is closed.
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
    if (down) log.info("Reconnected to Redis");
    down = false;
  });
  // Finds a server that is gone where nothing else is sent.
  const ping = setInterval(() => {
    if (redis.status === "ready") redis.ping().catch(() => {});
  }, PING_MS).unref();
  redis.once("end", () => clearInterval(ping));
  return redis;
}

/** Wait for the first connection; rejects after `timeoutMs`. */
export async function redisReady(redis: Redis, timeoutMs = 2_000): Promise<void> {
  if (redis.status === "ready") return;
  const ready = new Promise<void>((resolve) => redis.once("ready", () => resolve()));
  await withTimeout(ready, timeoutMs, "Redis did not answer in time.");
}
