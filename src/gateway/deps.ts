import { FlightRecorder } from "../features/flight-recorder";
import { transferRecords } from "../features/plan-transfers";
import { DroneStates } from "../features/telemetry";
import { type GatewayConfig, quotaLimits, type WorkerConfig } from "../platform/config";
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
  /** Undefined where it is turned off. */
  readonly recorder: FlightRecorder | undefined;
  readonly states: DroneStates;
}

type Process = Pick<Services, "log" | "registry" | "lifecycle">;

/** What the gateway and the worker have in common. `name` is shown by the database. */
export function openShared(
  config: GatewayConfig | WorkerConfig,
  { log, registry, lifecycle }: Process,
  name: string,
) {
  const db = openDatabase(config.DATABASE_URL, {
    poolMax: config.DATABASE_POOL_MAX,
    name,
    log,
    jobsPerUser: config.QUOTA_JOBS,
  });
  observeDatabase(registry, db);
  observeJobs(registry, db);
  lifecycle.onClose("database", () => db.destroy());
  const redis = openRedis(config.REDIS_URL, log);
  lifecycle.onClose("redis", () => redis.disconnect());
  const quotas = new Quotas(quotaLimits(config), { redis, registry });
  const mailer = openMailer(config.SMTP_URL, config.MAIL_FROM);
  lifecycle.onClose("mail", () => mailer.close());
  const store = new ObjectStore(config);
  lifecycle.onClose("asset store", () => store.close());
  const mailQuotas = new MailQuotas(quotas);
  return { log, registry, lifecycle, clock: systemClock, db, redis, quotas, mailQuotas, mailer, store };
}

export function openDeps(config: GatewayConfig, process: Process): GatewayDeps {
  const shared = openShared(config, process, "fleet-gateway");
  const { log, lifecycle, redis } = shared;
  const changes = new ChangeListener(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, { log });
  lifecycle.onClose("changes", () => changes.stop());
  redis.once("ready", () => void warnOfSettings(redis, log));
  const vpnStore = new ObjectStore({ ...config, S3_BUCKET: config.S3_VPN_BUCKET });
  lifecycle.onClose("config store", () => vpnStore.close());
  const recorder = config.FLIGHT_RECORDER === "on" ? new FlightRecorder({ ...shared, config }) : undefined;
  // Closed after the links, whose last frames it writes.
  lifecycle.onClose("flight recorder", () => recorder?.stop());
  const states = new DroneStates(shared);
  // Closed after the links, whose end it tells.
  lifecycle.onClose("drone states", () => states.stop());
  const options = { tap: recorder?.tap, records: transferRecords(shared), follow: states.follow };
  const replicas = config.LINK_LEASES === "redis" ? openReplicas(config, shared, options) : undefined;
  const links = replicas?.links ?? openLinks(config, shared, options);
  return { ...shared, config, changes, vpnStore, links, replicas, recorder, states };
}
