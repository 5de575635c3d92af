import Koa from "koa";
import { opsRoutes } from "../../http/ops";
import { securityHeaders } from "../../http/security-headers";
import { INTERNAL_LIMITS, limitedServer } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import type { WorkerConfig } from "../../platform/config";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { reachabilityProbes } from "../../platform/process/reachability";
import { openShared } from "../deps";
import { startBackgroundJobs } from "./tasks";

export interface Worker {
  /** `http://host:port` of its health and metrics. */
  readonly url: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
}

/** Runs the gateway's background jobs in a process of their own. Its lifecycle stops it. */
export async function startWorker(config: WorkerConfig): Promise<Worker> {
  const log = createLogger("worker", config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log, config.SHUTDOWN_DRAIN_SECONDS * 1000);
  const registry = createMetrics("worker");
  const shared = openShared(config, { log, registry, lifecycle }, "fleet-worker");
  try {
    const app = new Koa();
    app.use(securityHeaders);
    const dependencies = {
      postgres: () => shared.db.raw("select 1"),
      redis: () => shared.redis.ping(),
      ...reachabilityProbes({ objects: config.S3_ENDPOINT }),
    };
    app.use(opsRoutes(lifecycle, registry, dependencies));
    const server = limitedServer(app.callback(), INTERNAL_LIMITS);
    const url = await listen(server, config.WORKER_PORT, config.HOST);
    lifecycle.onClose("http", () => closeServer(server));
    await startBackgroundJobs({ ...shared, config });
    lifecycle.ready();
    log.info({ url }, "The worker is ready");
    return { url, log, lifecycle };
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
}
