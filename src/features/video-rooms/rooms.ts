import { randomBytes } from "node:crypto";
import { type Janus, JanusRefusal, NO_SUCH_ROOM, ROOM_EXISTS } from "./janus";
import type { RoomKeys } from "./video-rooms.store";

/** What every room is: one drone that sends, in a profile that every browser and drone can, and no recording. */
const parameters = {
  publishers: 1,
  videocodec: "h264",
  /** Constrained baseline, level 3.1 (RFC 6184 profile-level-id). */
  h264_profile: "42e01f",
  /** Bits per second. */
  bitrate: 6_000_000,
  bitrate_cap: true,
  record: false,
  permanent: false,
} as const;

/** New for every room that is made; whoever left the one before cannot enter this one. */
export const freshKeys = (): RoomKeys => ({
  pin: randomBytes(12).toString("base64url"),
  secret: randomBytes(24).toString("base64url"),
});

/** Whether the room is there and is the one with these keys. Rejects when it has another secret. */
export async function isOpen(
  janus: Janus,
  room: number,
  { pin, secret }: RoomKeys,
  signal: AbortSignal,
): Promise<boolean> {
  // The plugin tells nobody a room's keys; an edit that changes nothing shows that they are these.
  const edit = { request: "edit", room, secret, new_secret: secret, new_pin: pin };
  return janus.videoRoom(edit, signal).then(() => true, absent);
}

/** Make the room; one of that number that has no secret is replaced. Rejects when it has another's. */
export async function makeRoom(
  janus: Janus,
  room: number,
  keys: RoomKeys,
  signal: AbortSignal,
): Promise<void> {
  const create = {
    request: "create",
    room,
    ...keys,
    ...parameters,
    description: `drone ${room}`,
  };
  try {
    await janus.videoRoom(create, signal);
  } catch (error) {
    if (!(error instanceof JanusRefusal && error.code === ROOM_EXISTS)) throw error;
    await removeRoom(janus, room, keys, signal);
    await janus.videoRoom(create, signal);
  }
}

/** Whoever is in it is sent away. A room that is not there is removed already. */
export async function removeRoom(
  janus: Janus,
  room: number,
  { secret }: Pick<RoomKeys, "secret">,
  signal: AbortSignal,
): Promise<void> {
  await janus.videoRoom({ request: "destroy", room, secret, permanent: false }, signal).catch(absent);
}

function absent(error: unknown): false {
  if (error instanceof JanusRefusal && error.code === NO_SUCH_ROOM) return false;
  throw error;
}
