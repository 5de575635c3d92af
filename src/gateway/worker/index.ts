import Koa from "koa";
import { opsRoutes } from "../../http/ops";
import { securityHeaders } from "../../http/security-headers";
import { INTERNAL_LIMITS, limitedServer } from "../../http/server/limited-server";
import { closeServer, listen } from "../../http/server/listen";
import { quotaLimits, type WorkerConfig } from "../../platform/config";
import { observeJobs } from "../../platform/jobs/jobs";
import { openMailer } from "../../platform/mail";
import { ObjectStore } from "../../platform/objects/object-store";
import { observeDatabase, openDatabase } from "../../platform/postgres/db";
import { systemClock } from "../../platform/process/clock";
import { Lifecycle } from "../../platform/process/lifecycle";
import { createLogger, type Logger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { reachabilityProbes } from "../../platform/process/reachability";
import { MailQuotas } from "../../platform/quotas/mail-quotas";
import { Quotas } from "../../platform/quotas/quotas";
import { openRedis } from "../../platform/redis/client";
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
  const db = openDatabase(config.DATABASE_URL, {
    poolMax: config.DATABASE_POOL_MAX,
    name: "fleet-worker",
    log,
    jobsPerUser: config.QUOTA_JOBS,
  });
  lifecycle.onClose("database", () => db.destroy());
  observeDatabase(registry, db);
  observeJobs(registry, db);
  const redis = openRedis(config.REDIS_URL, log);
  lifecycle.onClose("redis", () => redis.disconnect());
  const mailQuotas = new MailQuotas(new Quotas(quotaLimits(config), { redis, registry }));
  const mailer = openMailer(config.SMTP_URL, config.MAIL_FROM);
  lifecycle.onClose("mail", () => mailer.close());
  const store = new ObjectStore(config);
  lifecycle.onClose("asset store", () => store.close());
  try {
    const app = new Koa();
    app.use(securityHeaders);
    const dependencies = {
      postgres: () => db.raw("select 1"),
      redis: () => redis.ping(),
      ...reachabilityProbes({ objects: config.S3_ENDPOINT }),
    };
    app.use(opsRoutes(lifecycle, registry, dependencies));
    const server = limitedServer(app.callback(), INTERNAL_LIMITS);
    const url = await listen(server, config.WORKER_PORT, config.HOST);
    lifecycle.onClose("http", () => closeServer(server));
    const connections = { db, store, mailQuotas, mailer };
    await startBackgroundJobs({ config, log, registry, lifecycle, clock: systemClock, ...connections });
    lifecycle.ready();
    log.info({ url }, "The worker is ready");
    return { url, log, lifecycle };
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
}
