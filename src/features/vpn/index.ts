import type { Services } from "../../platform/services";
import { TunnelStatus } from "./tunnel-status";
import { vpnRoutes } from "./vpn.routes";
import { VpnService, type VpnServiceDeps } from "./vpn.service";

export { allocateAddress, countResting } from "./addresses.store";
export { TunnelStatus } from "./tunnel-status";
export { CONFIG_URL_SECONDS } from "./vpn.service";
export { type RotatedKey, rotateDroneKey, rotateUserKey } from "./vpn.store";

/** Client configs and the states of tunnels. */
export function vpn(deps: Omit<VpnServiceDeps, "tunnel"> & Pick<Services, "config">) {
  const tunnel = new TunnelStatus(deps.config);
  return { routes: vpnRoutes(new VpnService({ ...deps, tunnel })), tunnel };
}
