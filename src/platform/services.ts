import type { GatewayConfig } from "./config";
import type { Mailer } from "./mail";
import type { ObjectStore } from "./objects/object-store";
import type { ChangeListener } from "./postgres/change-listener";
import type { Db } from "./postgres/db";
import type { Clock } from "./process/clock";
import type { Lifecycle } from "./process/lifecycle";
import type { Logger } from "./process/log";
import type { Registry } from "./process/metrics";
import type { MailQuotas } from "./quotas/mail-quotas";
import type { Quotas } from "./quotas/quotas";
import type { Redis } from "./redis/client";

/**
 * Connections and clients of the gateway, opened once and closed last. A class or function names those it uses:
 * `Pick<Services, "db" | "clock">`.
 */
export interface Services {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly clock: Clock;
  readonly db: Db;
  /** Committed changes of users, drones and log-outs. */
  readonly changes: ChangeListener;
  readonly redis: Redis;
  readonly quotas: Quotas;
  readonly mailQuotas: MailQuotas;
  readonly mailer: Mailer;
  /** The bucket of assets, archives and compose files. */
  readonly store: ObjectStore;
  /** The bucket of client configs. */
  readonly vpnStore: ObjectStore;
}
