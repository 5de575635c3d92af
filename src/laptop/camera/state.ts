import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Source = z.enum(["CAMERA", "TEST"]);
export type Source = z.output<typeof Source>;

/** As `video_room_details` brings it. */
const Room = z.object({ room_number: z.int(), room_password: z.string(), room_mgmt_token: z.string() });
export type Room = z.output<typeof Room>;

const CameraState = z.object({
  room: Room.optional(),
  source: Source.default("CAMERA"),
  /** Whether the stream was started. */
  isOn: z.boolean().default(false),
});
/** What the drone was told, kept from one message to the next. */
export type CameraState = z.output<typeof CameraState>;

const messages = {
  video_room_details: Room,
  video_room_state: z.object({ status: z.enum(["START", "STOP"]) }),
  video_source: z.object({ source: Source }),
};

/** The state after a message. Throws for a message that is none of the camera's. */
export function after(state: CameraState, topic: string, text: string): CameraState {
  const message = JSON.parse(text);
  switch (topic) {
    case "video_room_details":
      return { ...state, room: messages[topic].parse(message) };
    case "video_room_state":
      return { ...state, isOn: messages[topic].parse(message).status === "START" };
    case "video_source":
      return { ...state, source: messages[topic].parse(message).source };
    default:
      throw new Error(`The camera knows no topic ${topic}.`);
  }
}

const fileIn = (folder: string) => join(folder, "state.json");

export function readState(folder: string): CameraState {
  try {
    return CameraState.parse(JSON.parse(readFileSync(fileIn(folder), "utf8")));
  } catch {
    return CameraState.parse({});
  }
}

/** It has the keys of a room. Renamed into place: the stream reads it at any time. */
export function writeState(folder: string, state: CameraState): void {
  writeFileSync(`${fileIn(folder)}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${fileIn(folder)}.new`, fileIn(folder));
}
