import { type KeyObject, randomInt, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";

/** Ten decimal digits, to be typed into a drone's computer once. */
export const activationToken = (): string => String(randomInt(10_000_000_000)).padStart(10, "0");

const VIDEO_ROOM_AUDIENCE = "video-room";

/**
 * The token with which a drone opens its video room: a JWT (HS256) over the drone's id, valid as long as the row holds
 * it. It has no subject and no type, so that no guard accepts it as a user's token.
 */
export function videoRoomToken(key: KeyObject, droneId: number, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  return jwt.sign({ drone_id: droneId, aud: VIDEO_ROOM_AUDIENCE, jti: randomUUID(), iat }, key, {
    algorithm: "HS256",
  });
}
