import type { KeyObject } from "node:crypto";
import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { Guard } from "../../http/route-guards";
import { JanusApi } from "../../platform/janus";
import type { Services } from "../../platform/services";
import { type Drone, type DroneEvents, droneFor, findDrone } from "../drones";
import { Janus } from "./janus";
import { videoRoomGuard } from "./room-guard";
import { videoRoomRoutes } from "./video-rooms.routes";
import { VideoRooms } from "./video-rooms.service";
import { viewerRoutes } from "./viewers.routes";
import { Viewers } from "./viewers.service";

interface VideoRoomsFeatureDeps
  extends Pick<Services, "config" | "db" | "redis" | "log" | "lifecycle" | "quotas"> {
  readonly droneEvents: Pick<DroneEvents, "onDroneRevoked">;
  /** Signs the viewers' ids. */
  readonly signingKey: KeyObject;
}

/** Rooms on a Janus media server, through which users watch a drone's camera. */
export function videoRooms(deps: VideoRoomsFeatureDeps): {
  readonly routes: readonly Route[];
  readonly guard: Guard<"video_room">;
  readonly beforeArm: (drone: Drone) => Promise<void>;
} {
  const { config, db, redis, log, lifecycle, droneEvents } = deps;
  const api = config.JANUS_URL
    ? new JanusApi({ url: config.JANUS_URL, apiSecret: config.JANUS_API_SECRET })
    : undefined;
  const janus = api && new Janus(api, config.JANUS_ADMIN_KEY);
  const droneToView = (userId: number, droneId: number) => droneFor(db, userId, "view", droneId);
  lifecycle.onClose("media server", () => janus?.close());
  const service = new VideoRooms({
    db,
    janus,
    log,
    droneFor: droneToView,
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
    routes: [
      ...videoRoomRoutes(service, find),
      ...viewerRoutes(new Viewers({ ...deps, api, rooms: service, droneFor: droneToView })),
    ],
    guard: videoRoomGuard(find),
    beforeArm: (drone) => service.beforeArm(drone),
  };
}
