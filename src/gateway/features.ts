import { accounts } from "../features/accounts";
import { actions } from "../features/actions";
import { assets } from "../features/assets";
import { billing } from "../features/billing";
import { calendar } from "../features/calendar";
import { countDrones, droneFor, drones, dronesOf } from "../features/drones";
import { executionHooks, executions } from "../features/executions";
import { geofences } from "../features/geofences";
import { missions } from "../features/missions";
import { planFiles } from "../features/plan-files";
import { planTransfers } from "../features/plan-transfers";
import { provisioning } from "../features/provisioning";
import { quotas } from "../features/quotas";
import { simulation } from "../features/simulation";
import { telemetry } from "../features/telemetry";
import { videoRooms } from "../features/video-rooms";
import { vpn } from "../features/vpn";
import type { Route } from "../http/route";
import type { Guards } from "../http/route-guards";
import type { GatewayDeps } from "./deps";

/** Builds every feature. Returns their routes and guards. */
export function composeFeatures(deps: GatewayDeps) {
  const account = accounts(deps);
  const drone = drones({ ...deps, signingKey: account.tokens.key });
  const video = videoRooms({ ...deps, droneEvents: drone.events, signingKey: account.tokens.key });
  const guards: Guards = {
    public: () => undefined,
    token: () => undefined,
    ...account.guards,
    drone: drone.guard,
    video_room: video.guard,
  };
  const tunnels = vpn({
    ...deps,
    droneFor: (userId, capability, droneId) => droneFor(deps.db, userId, capability, droneId),
    dronesOf: (userId) => dronesOf(deps.db, userId),
  });
  const asset = assets({ ...deps, executions: executionHooks });
  const live = telemetry({ ...deps, ...account, droneEvents: drone.events });
  const routes: readonly Route[] = [
    ...account.routes,
    ...missions(deps).routes,
    ...geofences(deps).routes,
    ...planFiles(deps).routes,
    ...drone.routes,
    ...actions({ ...deps, beforeArm: video.beforeArm }).routes,
    ...planTransfers(deps).routes,
    ...video.routes,
    ...tunnels.routes,
    ...provisioning({ ...deps, tunnel: tunnels.tunnel }).routes,
    ...simulation(deps).routes,
    ...billing({ ...deps, countVehicles: (db, userId) => countDrones(db, userId) }).routes,
    ...calendar(deps).routes,
    ...asset.routes,
    ...executions({ ...deps, assets: asset.service }).routes,
    ...live.routes,
    ...quotas({ ...deps, socketsOf: (userId) => live.sockets.socketsOf(userId) }).routes,
  ];
  return { routes, guards, account, drone, tunnel: tunnels.tunnel, watchers: live.sockets };
}
