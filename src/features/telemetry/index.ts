import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/postgres/db";
import type { Logger } from "../../platform/process/log";
import type { Registry } from "../../platform/process/metrics";
import type { Redis } from "../../platform/redis/client";
import type { Subscriber } from "../../platform/redis/subscriber";
import type { VehicleLinks } from "../../vehicle";
import type { ServeFeed } from "../../vehicle/cluster";
import type { Tokens, TokenWatch } from "../accounts";
import { type Drone, type DroneEvents, findDrone, linkTarget } from "../drones";
import { TelemetrySockets } from "./sockets";

export { SOCKETS_PATH, TelemetrySockets } from "./sockets";

interface TelemetryDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly log: Logger;
  readonly registry: Registry;
  readonly links: Pick<VehicleLinks, "subscribe">;
  /** The gateway's other replicas; absent where this is the only one. */
  readonly replicas?: {
    readonly links: { serveFeeds(serve: ServeFeed): void };
    readonly publisher: Redis;
    readonly subscriber: Subscriber;
  };
  readonly tokens: Pick<Tokens, "userOf">;
  readonly tokenWatch: TokenWatch | undefined;
  readonly droneEvents: Pick<DroneEvents, "onDroneGone" | "onDroneMoved">;
}

/**
 * Live telemetry over Socket.IO. In the strict profile a watcher owns the drone and has not logged out; in
 * the contract profile any signed-in user may watch any drone.
 */
export function telemetry(deps: TelemetryDeps): TelemetrySockets {
  const { config, db, log, registry, links, replicas, tokens, tokenWatch, droneEvents } = deps;
  const strict = config.ACCESS_PROFILE === "strict";
  const changes = new ChangeCount();
  const findWatched = async (userId: number, droneId: number): Promise<Drone> => {
    const drone = await changes.readUnchanged(() => findDrone(db, droneId));
    if (!drone || (strict && !may(userId, "view", drone))) {
      throw new DomainError("not_found", `There is no drone ${droneId} that you may watch.`);
    }
    return drone;
  };
  const sockets = new TelemetrySockets(
    {
      links,
      userOf: (token) => tokens.userOf(token),
      tokenWatch,
      find: async (userId, droneId) => ({ target: linkTarget(config, await findWatched(userId, droneId)) }),
    },
    {
      maxHz: config.TELEMETRY_MAX_HZ,
      stopWhenUnwatched: config.DO_UNSUBSCRIBE,
      origins: config.CORS_ORIGINS,
      maxSockets: config.TELEMETRY_MAX_SOCKETS,
      maxSocketsPerUser: config.TELEMETRY_MAX_SOCKETS_PER_USER,
      maxStreams: config.TELEMETRY_MAX_STREAMS,
      between: replicas,
    },
    log,
    registry,
  );
  replicas?.links.serveFeeds((target, from, asked) => sockets.board.feed(target, from, asked));
  droneEvents.onDroneGone(({ id }) => {
    changes.count();
    sockets.board.close(id, `Drone ${id} was deleted or has another owner; it is no longer watched.`);
  });
  droneEvents.onDroneMoved((drone) => {
    changes.count();
    try {
      sockets.board.move(drone.id, linkTarget(config, drone));
    } catch (error) {
      log.warn({ err: error, drone_id: drone.id }, "a watched drone moved to where it cannot be dialled");
    }
  });
  return sockets;
}

/** A drone that was deleted or moved while it was read is read again: nobody joins the room of a ghost. */
class ChangeCount {
  private changes = 0;

  count(): void {
    this.changes += 1;
  }

  async readUnchanged<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      const before = this.changes;
      const value = await read();
      if (this.changes === before) return value;
    }
  }
}
