import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/postgres/db";
import type { Lifecycle } from "../../platform/process/lifecycle";
import type { Logger } from "../../platform/process/log";
import type { Redis } from "../../platform/redis/client";
import { type Drone, type DroneEvents, droneFor, findDrone } from "../drones";
import { Janus } from "./janus";
import { videoRoomGuard } from "./room-guard";
import { videoRoomRoutes } from "./video-rooms.routes";
import { VideoRooms } from "./video-rooms.service";

interface VideoRoomsFeatureDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly redis: Redis;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, "onClose">;
  readonly droneEvents: Pick<DroneEvents, "onDroneRevoked">;
}

/** Rooms on a Janus media server, through which users watch a drone's camera. */
export function videoRooms({ config, db, redis, log, lifecycle, droneEvents }: VideoRoomsFeatureDeps): {
  readonly routes: readonly Route[];
  readonly guard: Guard<"video_room">;
  readonly beforeArm: (drone: Drone) => Promise<void>;
} {
  const janus = config.JANUS_URL
    ? new Janus({
        url: config.JANUS_URL,
        apiSecret: config.JANUS_API_SECRET,
        adminKey: config.JANUS_ADMIN_KEY,
      })
    : undefined;
  lifecycle.onClose("media server", () => janus?.close());
  const service = new VideoRooms({
    db,
    janus,
    log,
    droneFor: (userId, droneId) => droneFor(db, userId, "view", droneId),
    publish: (channel, payload) => publish(redis, channel, payload),
  });
  droneEvents.onDroneRevoked(({ id }) => {
    service
      .close(id)
      .catch((err) => log.error({ err, drone_id: id }, "Cannot close the video room of a deleted drone"));
  });
  const find = (id: number) => findDrone(db, id);
  return {
    routes: videoRoomRoutes(service, find),
    guard: videoRoomGuard(find),
    beforeArm: (drone) => service.beforeArm(drone),
  };
}

async function publish(redis: Redis, channel: string, payload: string): Promise<number> {
  try {
    return await redis.publish(channel, payload);
  } catch (cause) {
    // Without the cause: it carries the command, and that carries the room's keys.
    const { message } = cause as Error;
    throw new DomainError(
      "unavailable",
      "Redis, which carries messages to the drone, is down; try again shortly.",
      {
        cause: new Error(message),
      },
    );
  }
}
