import { closeCodes, MAX_FRAME_BYTES } from "../domain/relay-sockets";
import { readTokenStatuses, Tokens, TokenWatch } from "../features/accounts";
import { limitedServer, publicLimits } from "../http/server/limited-server";
import { closeServer, listen } from "../http/server/listen";
import { quotaLimits, type RelayConfig } from "../platform/config";
import { ChangeListener } from "../platform/postgres/change-listener";
import { observeDatabase, openDatabase } from "../platform/postgres/db";
import { refuseUnsafeListening, warnOfRelaxedRules } from "../platform/process/access-profile";
import { systemClock } from "../platform/process/clock";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger, type Logger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { Quotas } from "../platform/quotas/quotas";
import { openRedis, redisReady } from "../platform/redis/client";
import { relayApp } from "./app";
import type { Credentials } from "./authorization";
import { DroneWatch } from "./drone-watch";
import { relayMetrics } from "./metrics";
import { openSession } from "./open-session";
import { Channels } from "./redis/channels";
import { Publisher } from "./redis/publisher";
import { redisUnreachable } from "./redispad";
import { Sessions } from "./sessions";
import { acceptUpgrades } from "./upgrades";

export interface Relay {
  /** `http://host:port` */
  readonly url: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
}

/** Look-ups of sessions share these; a session makes one when it opens. */
const POOL = { poolMin: 2, poolMax: 10 } as const;

export interface RelayLimits {
  /** A client's oldest frames are dropped once this many bytes wait to be sent to it; as many may be in flight. */
  readonly maxBufferedBytes: number;
  /** Sessions are closed when Redis has not taken a frame for this long: older sticks are worth nothing. */
  readonly redisStallMs: number;
}

/** Half a second of a busy telemetry stream, and the age beyond which the agent on board stops the vehicle anyway. */
const LIMITS: RelayLimits = { maxBufferedBytes: 262_144, redisStallMs: 1_000 };
/** Longest wait for a subscription, before the pilot steers. */
const SUBSCRIBE_MS = 2_000;

const relaxedRules = ["no token is read: every client that reaches the relay may steer every drone"] as const;

/** Builds the relay and listens. Stop it through its lifecycle. */
export async function startRelay(config: RelayConfig, limits: Partial<RelayLimits> = {}): Promise<Relay> {
  const { maxBufferedBytes, redisStallMs } = { ...LIMITS, ...limits };
  refuseUnsafeListening(config);
  const log = createLogger("relay", config.LOG_LEVEL);
  warnOfRelaxedRules(config, relaxedRules, log);
  const lifecycle = new Lifecycle(log, config.SHUTDOWN_DRAIN_SECONDS * 1000);
  const registry = createMetrics("relay");
  const metrics = relayMetrics(registry);
  const db = openDatabase(config.DATABASE_URL, {
    ...POOL,
    name: "fleet-relay",
    log,
  });
  observeDatabase(registry, db);
  lifecycle.onClose("database", () => db.destroy());

  const redis = openRedis(config.REDIS_URL, log);
  lifecycle.onClose("redis", () => redis.disconnect());
  const sessions = new Sessions(
    {
      maxSessions: config.RELAY_MAX_SESSIONS,
      quotas: new Quotas(quotaLimits(config), { redis, registry }),
    },
    () => metrics.refused.inc(),
  );
  const closeRedisSessions = () => {
    const { code, message } = redisUnreachable();
    sessions.closeAll(code, message, "redispad");
  };
  const subscriber = openRedis(config.REDIS_URL, log, {
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    commandTimeout: SUBSCRIBE_MS,
  });
  lifecycle.onClose("subscriber", () => subscriber.disconnect());
  const channels = new Channels(subscriber, closeRedisSessions);
  const publisher = new Publisher(config.REDIS_URL, {
    log,
    stallMs: redisStallMs,
    delay: metrics.toDrone.delay,
    onDown: closeRedisSessions,
  });
  lifecycle.onClose("publisher", () => publisher.stop());

  const watch = new DroneWatch(db, sessions, log);
  lifecycle.onClose("drone watch", () => watch.stop());
  const changes = new ChangeListener(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, { log });
  lifecycle.onClose("changes", () => changes.stop());
  changes.subscribe({
    onChange: (change) => watch.changed(change),
    onReconnect: () => watch.recheckAll(),
  });
  metrics.observe({
    sessions: (route) => sessions.count(route),
    channels: () => channels.size,
    listening: () => changes.listening,
  });

  let credentials: Credentials;
  if (config.ACCESS_PROFILE === "strict" && config.JWT_SECRET) {
    const tokenWatch = new TokenWatch((keys) => readTokenStatuses(db, keys), changes);
    lifecycle.onClose("token watch", () => tokenWatch.stop());
    credentials = { tokens: new Tokens(config.JWT_SECRET, systemClock), tokenWatch };
  }
  const app = relayApp({
    log,
    registry,
    lifecycle,
    trustedProxies: config.TRUSTED_PROXIES,
    db,
    credentials,
    dependencies: { postgres: () => db.raw("select 1"), redis: () => redis.ping() },
  });
  const deps = {
    db,
    log,
    credentials,
    sessions,
    watch,
    pingMs: config.RELAY_PING_SECONDS * 1000,
    metrics,
    publisher,
    channels,
    maxBufferedBytes,
    maxFrameBytes: MAX_FRAME_BYTES,
  };
  try {
    await Promise.all([redisReady(redis), redisReady(subscriber), publisher.ready(2_000)]).catch(() =>
      log.warn("Starting without Redis; retrying"),
    );
    const server = limitedServer(app.callback(), publicLimits(config, registry));
    acceptUpgrades(server, {
      maxFrameBytes: MAX_FRAME_BYTES,
      draining: () => lifecycle.state !== "ready",
      onSession: (socket, request) => void openSession(socket, request, deps),
    });
    const url = await listen(server, config.RELAY_PORT, config.HOST);
    lifecycle.onDrain("http", () => closeServer(server));
    lifecycle.onDrain("sessions", () =>
      sessions.closeAll(closeCodes.restarting, "The relay is restarting; connect again."),
    );
    lifecycle.ready();
    log.info({ url }, "The relay is ready");
    return { url, log, lifecycle };
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
}
