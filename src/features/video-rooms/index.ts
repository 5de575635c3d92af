import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import type { Services } from "../../platform/services";
import { type Drone, type DroneEvents, droneFor, findDrone } from "../drones";
import { Janus } from "./janus";
import { videoRoomGuard } from "./room-guard";
import { videoRoomRoutes } from "./video-rooms.routes";
import { VideoRooms } from "./video-rooms.service";

interface VideoRoomsFeatureDeps extends Pick<Services, "config" | "db" | "redis" | "log" | "lifecycle"> {
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
    publish: (channel, payload) =>
      redis.publish(channel, payload).catch((cause: unknown) => {
        const message = "Redis, which carries messages to the drone, is down; try again shortly.";
        throw new DomainError("unavailable", message, { cause });
      }),
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
