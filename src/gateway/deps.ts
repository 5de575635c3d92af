import { type GatewayConfig, quotaLimits } from "../platform/config";
import { observeJobs } from "../platform/jobs/jobs";
import { openMailer } from "../platform/mail";
import { ObjectStore } from "../platform/objects/object-store";
import { ChangeListener } from "../platform/postgres/change-listener";
import { observeDatabase, openDatabase } from "../platform/postgres/db";
import { systemClock } from "../platform/process/clock";
import { MailQuotas } from "../platform/quotas/mail-quotas";
import { Quotas } from "../platform/quotas/quotas";
import { openRedis } from "../platform/redis/client";
import { warnOfSettings } from "../platform/redis/server-settings";
import type { Services } from "../platform/services";
import type { VehicleLinks } from "../vehicle";
import { openLinks } from "./links";
import { openReplicas, type Replicas } from "./replicas/index";

export interface GatewayDeps extends Services {
  readonly links: VehicleLinks;
  /** Undefined where this is the only replica. */
  readonly replicas: Replicas | undefined;
}

export function openDeps(
  config: GatewayConfig,
  { log, registry, lifecycle }: Pick<GatewayDeps, "log" | "registry" | "lifecycle">,
): GatewayDeps {
  const db = openDatabase(config.DATABASE_URL, {
    poolMax: config.DATABASE_POOL_MAX,
    name: "fleet-gateway",
    jobsPerUser: config.QUOTA_JOBS,
  });
  observeDatabase(registry, db);
  observeJobs(registry, db);
  lifecycle.onClose("database", () => db.destroy());
  const changes = new ChangeListener(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, { log });
  lifecycle.onClose("changes", () => changes.stop());
  const redis = openRedis(config.REDIS_URL, log);
  lifecycle.onClose("redis", () => redis.disconnect());
  redis.once("ready", () => void warnOfSettings(redis, log));
  const quotas = new Quotas(quotaLimits(config), { redis, registry });
  const mailQuotas = new MailQuotas(quotas);
  const mailer = openMailer(config.SMTP_URL, config.MAIL_FROM);
  lifecycle.onClose("mail", () => mailer.close());
  const store = new ObjectStore(config);
  lifecycle.onClose("asset store", () => store.close());
  const vpnStore = new ObjectStore({ ...config, S3_BUCKET: config.S3_VPN_BUCKET });
  lifecycle.onClose("config store", () => vpnStore.close());
  const replicas =
    config.LINK_LEASES === "redis" ? openReplicas(config, { log, registry, lifecycle, redis }) : undefined;
  return {
    config,
    log,
    registry,
    lifecycle,
    clock: systemClock,
    db,
    changes,
    redis,
    quotas,
    mailQuotas,
    mailer,
    store,
    vpnStore,
    links: replicas?.links ?? openLinks(config, { log, registry, lifecycle }),
    replicas,
  };
}
