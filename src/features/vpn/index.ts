import type { Route } from "../../http/route";
import type { ObjectStore } from "../../platform/objects/object-store";
import { TunnelStatus, type TunnelStatusSettings } from "./tunnel-status";
import { vpnRoutes } from "./vpn.routes";
import { VpnService, type VpnServiceDeps } from "./vpn.service";

export { allocateAddress, countResting } from "./addresses.store";
export { TunnelStatus } from "./tunnel-status";
export { CONFIG_URL_SECONDS } from "./vpn.service";
export { type RotatedKey, rotateDroneKey, rotateUserKey } from "./vpn.store";

interface VpnDeps extends Omit<VpnServiceDeps, "configs" | "tunnel"> {
  readonly config: TunnelStatusSettings;
  /** The bucket of client configs. */
  readonly vpnStore: ObjectStore;
}

/** Client configs and the states of tunnels. */
export function vpn({ config, vpnStore, ...deps }: VpnDeps): {
  readonly routes: readonly Route[];
  readonly tunnel: TunnelStatus;
} {
  const tunnel = new TunnelStatus(config);
  return { routes: vpnRoutes(new VpnService({ ...deps, configs: vpnStore, tunnel })), tunnel };
}
