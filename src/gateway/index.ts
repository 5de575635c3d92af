import type { Server } from "node:http";
import type Koa from "koa";
import { limitedServer, publicLimits } from "../http/server/limited-server";
import { closeServer, listen } from "../http/server/listen";
import type { GatewayConfig } from "../platform/config";
import { refuseUnsafeListening, warnOfRelaxedRules } from "../platform/process/access-profile";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger, type LogDestination } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { redisReady } from "../platform/redis/client";
import { gatewayApps } from "./app";
import { type GatewayDeps, openDeps } from "./deps";
import { composeFeatures } from "./features";
import { startBackgroundJobs } from "./worker/tasks";

/** Logged at start-up in the contract profile. */
const relaxedRules = [
  "any signed-in user may watch any drone's telemetry",
  "a drone's address is believed from any caller's headers",
  "a log-out holds in this process only, and not for sockets",
  "any signed-in user may start and stop the simulation instance",
] as const;

export interface Gateway {
  readonly url: string;
  /** The drone-only port of the strict profile. */
  readonly droneUrl: string | undefined;
  readonly deps: GatewayDeps;
  readonly features: ReturnType<typeof composeFeatures>;
  readonly lifecycle: Lifecycle;
}

/** Builds the gateway and listens. Its lifecycle stops it. */
export async function startGateway(
  config: GatewayConfig,
  options: { checkReplies?: boolean; logTo?: LogDestination } = {},
): Promise<Gateway> {
  refuseUnsafeListening(config);
  const log = createLogger("gateway", config.LOG_LEVEL, options.logTo);
  warnOfRelaxedRules(config, relaxedRules, log);
  if (config.ACCESS_PROFILE === "strict" && config.TRUSTED_PROXIES.length === 0)
    log.warn(
      "TRUSTED_PROXIES is empty: behind a proxy, limits that count by address count all users together",
    );
  const lifecycle = new Lifecycle(log, config.SHUTDOWN_DRAIN_SECONDS * 1000);
  const deps = openDeps(config, {
    log,
    registry: createMetrics("gateway"),
    lifecycle,
  });
  try {
    await redisReady(deps.redis).catch(() => log.warn("Starting without Redis; retrying"));
    await deps.replicas?.serve();
    const features = composeFeatures(deps);
    deps.recorder?.start(deps.links);
    lifecycle.onDrain("flight recorder", () => deps.recorder?.drain());
    const apps = gatewayApps(deps, features.routes, features.guards, options);
    const limits = publicLimits(config, deps.registry);
    const serve = async (name: string, app: Koa, port: number, attach?: (server: Server) => void) => {
      const server = limitedServer(app.callback(), limits);
      attach?.(server);
      const url = await listen(server, port, config.HOST);
      lifecycle.onDrain(name, () => closeServer(server));
      return url;
    };
    const droneUrl = apps.drone && (await serve("drone http", apps.drone, config.GATEWAY_DRONE_PORT));
    const url = await serve("http", apps.main, config.GATEWAY_PORT, (server) =>
      features.watchers.attach(server),
    );
    lifecycle.onDrain("watchers", async () => {
      await features.watchers.drain();
      await deps.replicas?.links.handOver();
    });
    if (config.WORKER_IN_PROCESS) await startBackgroundJobs(deps);
    lifecycle.ready();
    log.info({ url, drone_url: droneUrl }, "The gateway is ready");
    return { url, droneUrl, deps, features, lifecycle };
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
}
