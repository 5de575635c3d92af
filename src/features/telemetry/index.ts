import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { Subscriber } from "../../platform/redis/subscriber";
import type { Services } from "../../platform/services";
import type { VehicleLinks } from "../../vehicle";
import type { ServeFeed } from "../../vehicle/cluster";
import type { Tokens, TokenWatch } from "../accounts";
import { type Drone, type DroneEvents, droneIdsOf, findDrone, linkTarget } from "../drones";
import { errorMessages } from "./error-messages";
import { FrameChannel } from "./feeds/frame-channel";
import type { DroneStates } from "./fleet/drone-states";
import { fleetRoutes } from "./fleet/fleet.routes";
import { sessionStore } from "./sockets/session-recovery";
import { TelemetrySockets } from "./sockets/telemetry-sockets";

export { telemetryChannel } from "./channel";
export { DroneStates } from "./fleet/drone-states";
export { SOCKETS_PATH, TelemetrySockets } from "./sockets/telemetry-sockets";

interface TelemetryFeatureDeps
  extends Pick<Services, "config" | "db" | "log" | "registry" | "quotas" | "redis"> {
  readonly links: Pick<VehicleLinks, "subscribe">;
  /** The gateway's other replicas; absent where this is the only one. */
  readonly replicas?:
    | { readonly links: { serveFeeds(serve: ServeFeed): void }; readonly subscriber: Subscriber }
    | undefined;
  readonly tokens: Pick<Tokens, "userOf">;
  readonly tokenWatch: TokenWatch | undefined;
  readonly droneEvents: Pick<DroneEvents, "onDroneGranted" | "onDroneRevoked" | "onDroneRedirected">;
  readonly states: DroneStates;
}

/**
 * Live telemetry over Socket.IO. In the strict profile a user may watch their own drones until they log out; in the
 * contract profile every authenticated user may watch every drone.
 */
export function telemetry(deps: TelemetryFeatureDeps): {
  readonly routes: readonly Route[];
  readonly sockets: TelemetrySockets;
} {
  const { config, db, log, redis, replicas, tokens, droneEvents, states } = deps;
  const strict = config.ACCESS_PROFILE === "strict";
  let changes = 0;
  const findWatched = async (userId: number, droneId: number): Promise<Drone> => {
    const before = changes;
    const drone = await findDrone(db, droneId);
    // A change during the read may be newer than the row, and its event found no watcher to remove yet.
    if (changes !== before) return findWatched(userId, droneId);
    if (!drone || (strict && !may(userId, "view", drone))) {
      throw new DomainError("not_found", errorMessages.unknown_drone.text(droneId));
    }
    return drone;
  };
  const idsOf = (userId: number) => droneIdsOf(db, userId);
  const sockets = new TelemetrySockets({
    ...deps,
    dronesOf: idsOf,
    sessions: sessionStore(redis),
    channel: replicas && new FrameChannel(redis, replicas.subscriber, log),
    userOf: (token) => tokens.userOf(token),
    find: async (userId, droneId) => linkTarget(config, await findWatched(userId, droneId)),
  });
  replicas?.links.serveFeeds((target, from, request) => sockets.feeds.feed(target, from, request));
  droneEvents.onDroneGranted(({ user_id }) => sockets.fleets.changed(user_id));
  droneEvents.onDroneRevoked(({ id, user_id }) => {
    changes += 1;
    states.forget(id);
    sockets.fleets.changed(user_id);
    sockets.feeds.close(id, errorMessages.revoked_drone.text(id));
  });
  droneEvents.onDroneRedirected((drone) => {
    changes += 1;
    try {
      sockets.feeds.move(drone.id, linkTarget(config, drone));
    } catch (error) {
      log.warn(
        { err: error, drone_id: drone.id },
        "A watched drone moved to an address that cannot be dialled",
      );
    }
  });
  return { routes: fleetRoutes(states, idsOf), sockets };
}
