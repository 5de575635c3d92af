import { type KeyObject, randomInt, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";

/** Ten decimal digits, for typing into a drone's computer once. */
export const activationToken = (): string => String(randomInt(10_000_000_000)).padStart(10, "0");

const VIDEO_ROOM_AUDIENCE = "video-room";

/**
 * What a drone shows to open its video room: a JWT (HS256) over the drone's id, good for as long as the row
 * holds it. It names no subject and no type, so nothing takes it for a user's token.
 */
export function videoRoomToken(key: KeyObject, droneId: number, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  return jwt.sign({ drone_id: droneId, aud: VIDEO_ROOM_AUDIENCE, jti: randomUUID(), iat }, key, {
    algorithm: "HS256",
  });
}
