import jwt from "jsonwebtoken";
import { DomainError } from "../../domain/errors";
import type { Guard } from "../../http/route-guards";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Drone } from "../drones";

/**
 * Finds a drone by the video room token of its row. The token's claims only find the row; it is valid while the row
 * holds it. Throws `unauthenticated` without an Authorization header and
 * `forbidden` when the token is not a drone's.
 */
export function videoRoomGuard(findDrone: (id: number) => Promise<Drone | undefined>): Guard<"video_room"> {
  return async (ctx) => {
    const header = ctx.get("authorization");
    if (!header) throw new DomainError("unauthenticated", "Send the drone's video room token as a Bearer.");
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    const id = droneIdOf(token);
    const drone = id === undefined ? undefined : await findDrone(id);
    if (!drone?.video_room_token || !constantTimeEqual(token, drone.video_room_token)) {
      throw new DomainError("forbidden", "The token is not a drone's video room token.");
    }
    return { id: drone.id };
  };
}

function droneIdOf(token: string): number | undefined {
  const claims = jwt.decode(token, { json: true }) as { drone_id?: unknown } | null;
  const id = claims?.drone_id;
  return typeof id === "number" && Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : undefined;
}
