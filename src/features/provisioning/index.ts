import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import { imageRegistry } from "../../platform/image-registry";
import type { ObjectStore } from "../../platform/objects/object-store";
import { Sts } from "../../platform/objects/sts";
import type { Db } from "../../platform/postgres/db";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Quotas } from "../../platform/quotas/quotas";
import type { Redis } from "../../platform/redis/client";
import { rateLimit } from "../../platform/redis/rate-limit";
import type { TunnelStatus } from "../vpn";
import { ActivationService } from "./activation.service";
import { assetCredentials } from "./asset-access";
import { provisioningRoutes } from "./provisioning.routes";

export { publishCompose } from "./publish-compose";
export { reissueActivation } from "./reissue-activation";

interface ProvisioningDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  readonly quotas: Quotas;
  /** The bucket of assets and compose files. */
  readonly store: ObjectStore;
  /** The bucket of client configs. */
  readonly vpnStore: ObjectStore;
  readonly tunnel: TunnelStatus;
  readonly lifecycle: Pick<Lifecycle, "onClose">;
  readonly log: Logger;
}

/** Activation of drones' computers, and their credentials for the asset bucket. */
export function provisioning(deps: ProvisioningDeps): { readonly routes: readonly Route[] } {
  const { config, db, redis, quotas, store, vpnStore, tunnel, lifecycle, log } = deps;
  const registry = imageRegistry(config);
  lifecycle.onClose("image registry", () => registry.close());
  const sts = new Sts(config);
  lifecycle.onClose("sts", () => sts.close());
  const activation = new ActivationService({
    db,
    configs: vpnStore,
    store,
    tunnel,
    registry,
    failedTries: rateLimit(redis, {
      name: "activations",
      tries: config.LOGIN_FAILURES_PER_15_MINUTES,
      seconds: 900,
    }),
    quotas,
    log,
  });
  return {
    routes: provisioningRoutes(activation, (droneId) => assetCredentials(sts, config.S3_BUCKET, droneId)),
  };
}
