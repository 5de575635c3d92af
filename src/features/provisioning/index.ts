import type { Route } from "../../http/route";
import { registryLogin } from "../../platform/image-registry";
import { Sts } from "../../platform/objects/sts";
import { RateLimit } from "../../platform/redis/rate-limit";
import type { Services } from "../../platform/services";
import type { TunnelStatus } from "../vpn";
import { ActivationService } from "./activation.service";
import { assetCredentials } from "./asset-access";
import { provisioningRoutes } from "./provisioning.routes";

export { publishCompose } from "./publish-compose";
export { reissueActivation } from "./reissue-activation";

interface ProvisioningDeps
  extends Pick<Services, "config" | "db" | "redis" | "quotas" | "store" | "vpnStore" | "log"> {
  readonly tunnel: TunnelStatus;
}

/** Activation of drones' computers, and their credentials for the asset bucket. */
export function provisioning(deps: ProvisioningDeps): { readonly routes: readonly Route[] } {
  const { config, redis } = deps;
  const sts = new Sts(config);
  const failedTries = new RateLimit(redis, {
    name: "activations",
    tries: config.LOGIN_FAILURES_PER_15_MINUTES,
    seconds: 900,
  });
  const activation = new ActivationService({
    ...deps,
    registryLogin: () => registryLogin(config),
    failedTries,
  });
  return {
    routes: provisioningRoutes(activation, (droneId) => assetCredentials(sts, config.S3_BUCKET, droneId)),
  };
}
