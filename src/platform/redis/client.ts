import { setTimeout as delay } from "node:timers/promises";
import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "../process/log";
import { CONNECT_MS } from "./resp";

export type { Redis };

/**
 * A Redis connection that fails fast: while it is down a command is refused at once instead of queued, and when it
 * breaks, what was under way is not sent again on the next one, because a late answer is worth nothing to a pilot, and
 * what was told to have failed must not be done later. It reconnects by itself.
 */
export function openRedis(url: string, log: Logger, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
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
  replaceWhenSilent(redis);
  return redis;
}

const PROBE_MS = 1_000;
/** Probes for which a server that took a connection may keep its greeting back. */
const MOST_UNGREETED = 5;

/**
 * A server that lost its power leaves a connection that fails in no other way, for a quarter of an hour; one that
 * loses it while we connect, a connection that is never ready. One silence is forgiven: it may have been this process
 * that stood still.
 */
function replaceWhenSilent(redis: Redis): void {
  let silences = 0;
  let ungreeted = 0;
  const probe = setInterval(async () => {
    const { stream, status } = redis;
    if (status !== "ready") {
      silences = 0;
      ungreeted = status === "connect" ? ungreeted + 1 : 0;
      if (ungreeted > MOST_UNGREETED) stream.destroy();
      return;
    }
    ungreeted = 0;
    const answer = redis.ping().then(
      () => true,
      () => false,
    );
    const heard = await Promise.race([answer, delay(PROBE_MS * 0.9, false, { ref: false })]);
    silences = heard || stream !== redis.stream ? 0 : silences + 1;
    if (silences > 1) stream.destroy();
  }, PROBE_MS);
  probe.unref();
  redis.once("end", () => clearInterval(probe));
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
