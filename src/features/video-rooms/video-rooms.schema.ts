import { z } from "zod";
import { BodyId } from "../../http/route";

export const RoomRequest = z.object({ room_number: BodyId.describe("The drone's id.") });

const off = new Set(["", "0", "false", "no", "off", "null", "undefined"]);

export const StartQuery = z.object({
  update: z
    .string()
    .max(20)
    .optional()
    .transform((text) => text !== undefined && !off.has(text.toLowerCase()))
    .meta({ type: "boolean", description: "Tell the drone its room's number and keys again." }),
});

/** For the drone, which sends into its room. */
export const RoomForDrone = z.object({
  message: z.string(),
  room_number: z.int(),
  room_password: z.string(),
  room_mgmt_token: z.string(),
});

/** For the owner, to watch. */
export const RoomForOwner = z.object({
  message: z.string(),
  room_number: z.int(),
  room_password: z.string(),
  listeners: z.int().describe("Subscribers on the drone's side that received it."),
});

export const Viewer = z.object({
  viewer: z.string().describe("Names the viewer in later requests of the same user."),
  sdp: z.string().describe("The media server's offer, with all of its candidates: H.264, one direction."),
});

export const ViewerAnswer = z.object({
  sdp: z.string().min(1).max(60_000).describe("The answer to the offer."),
});
