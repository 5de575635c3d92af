import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "../process/log";
import { withTimeout } from "../with-timeout";
import { CONNECT_MS } from "./resp";

export type { Redis };

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
  replaceWhenUnresponsive(redis);
  return redis;
}

const PROBE_MS = 1_000;
/** Probes until a connection must be ready. */
const MAX_CONNECTING = 5;

/**
 * Closes a connection that leaves two pings in a row unanswered, or that does not become ready; ioredis then reconnects.
 * A server that lost its power leaves a half-open connection, which otherwise fails after a quarter of an hour. One ping
 * may stay unanswered: this process may have stood still.
 */
function replaceWhenUnresponsive(redis: Redis): void {
  let unanswered = 0;
  let connecting = 0;
  const probe = setInterval(async () => {
    const { stream, status } = redis;
    if (status !== "ready") {
      unanswered = 0;
      connecting = status === "connect" ? connecting + 1 : 0;
      if (connecting > MAX_CONNECTING) stream.destroy();
      return;
    }
    connecting = 0;
    const answered = await withTimeout(redis.ping(), PROBE_MS * 0.9, "No pong in time.").then(
      () => true,
      () => false,
    );
    unanswered = answered || stream !== redis.stream ? 0 : unanswered + 1;
    if (unanswered > 1) stream.destroy();
  }, PROBE_MS);
  probe.unref();
  redis.once("end", () => clearInterval(probe));
}

/** Wait for the first connection; rejects after `timeoutMs`. */
export async function redisReady(redis: Redis, timeoutMs = 2_000): Promise<void> {
  if (redis.status === "ready") return;
  const ready = new Promise<void>((resolve) => redis.once("ready", () => resolve()));
  await withTimeout(ready, timeoutMs, "Redis did not answer in time.");
}
