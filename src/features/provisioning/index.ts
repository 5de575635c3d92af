import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/db";
import { imageRegistry } from "../../platform/image-registry";
import type { Lifecycle } from "../../platform/lifecycle";
import type { Logger } from "../../platform/log";
import type { ObjectStore } from "../../platform/object-store";
import { rateLimit } from "../../platform/rate-limit";
import type { Redis } from "../../platform/redis";
import { Sts } from "../../platform/sts";
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
  /** The bucket of assets and compose files. */
  readonly store: ObjectStore;
  /** The bucket of client configs. */
  readonly vpnStore: ObjectStore;
  readonly tunnel: TunnelStatus;
  readonly lifecycle: Pick<Lifecycle, "onClose">;
  readonly log: Logger;
}

/** What a drone's computer is given: once at its activation, and credentials whenever it asks. */
export function provisioning(deps: ProvisioningDeps): { readonly routes: readonly Route[] } {
  const { config, db, redis, store, vpnStore, tunnel, lifecycle, log } = deps;
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
    log,
  });
  return {
    routes: provisioningRoutes(activation, (droneId) => assetCredentials(sts, config.S3_BUCKET, droneId)),
  };
}
