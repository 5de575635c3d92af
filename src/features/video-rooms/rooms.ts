import { randomBytes } from "node:crypto";
import { z } from "zod";
import { JanusError, NO_SUCH_ROOM, ROOM_EXISTS } from "../../platform/janus";
import type { Janus } from "./janus";
import type { RoomKeys } from "./video-rooms.store";

/** Every room: one publisher, a video profile that every browser and drone supports, no recording. */
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

/** Keys of a new room: the clients of the room before cannot enter it. */
export const freshKeys = (): RoomKeys => ({
  pin: randomBytes(12).toString("base64url"),
  secret: randomBytes(24).toString("base64url"),
});

/** Whether the room exists with these keys. Rejects when it has another secret. */
export async function isOpen(
  janus: Janus,
  room: number,
  { pin, secret }: RoomKeys,
  signal: AbortSignal,
): Promise<boolean> {
  // The plugin shows no room's keys. An edit that changes nothing succeeds only with the right secret.
  const edit = { request: "edit", room, secret, new_secret: secret, new_pin: pin };
  return janus.videoRoom(edit, signal).then(() => true, absent);
}

/** Creates the room, in place of one of its number without a secret. Rejects when that has another secret. */
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
    if (!(error instanceof JanusError && error.code === ROOM_EXISTS)) throw error;
    await removeRoom(janus, room, keys, signal);
    await janus.videoRoom(create, signal);
  }
}

/** Disconnects the room's clients. A room that does not exist counts as removed. */
export async function removeRoom(
  janus: Janus,
  room: number,
  { secret }: Pick<RoomKeys, "secret">,
  signal: AbortSignal,
): Promise<void> {
  await janus.videoRoom({ request: "destroy", room, secret, permanent: false }, signal).catch(absent);
}

const Participants = z.object({ participants: z.array(z.object({ id: z.int(), publisher: z.boolean() })) });

/** The id of the room's publisher: the drone's camera. Undefined while nobody sends. */
export async function publisherOf(
  janus: Janus,
  room: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const reply = await janus.videoRoom({ request: "listparticipants", room }, signal);
  return Participants.parse(reply).participants.find(({ publisher }) => publisher)?.id;
}

function absent(error: unknown): false {
  if (error instanceof JanusError && error.code === NO_SUCH_ROOM) return false;
  throw error;
}
