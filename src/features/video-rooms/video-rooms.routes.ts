import { DomainError } from "../../domain/errors";
import { ids, Message, type Route, route } from "../../http/route";
import type { Drone } from "../drones";
import { RoomForDrone, RoomForOwner, RoomRequest, StartQuery } from "./video-rooms.schema";
import type { StartedStream, VideoRooms } from "./video-rooms.service";

const params = ids("drone_id");
export const common = {
  tag: "Video rooms",
  envelope: "B",
  errors: { unavailable: 400, internal: 400 },
  documents: { 400: "It failed; the message says why, such as a media server that is down." },
} as const;
const ofUser = { ...common, method: "get", guard: "user", params } as const;

export function videoRoomRoutes(
  service: VideoRooms,
  findDrone: (id: number) => Promise<Drone | undefined>,
): readonly Route[] {
  return [
    route({
      ...common,
      method: "post",
      path: "/video_room",
      summary: "Open the video room, as the drone",
      description: "A room that is there already is used again. Its number is the drone's id.",
      guard: "video_room",
      body: RoomRequest,
      success: { status: 200, schema: RoomForDrone },
      errors: { ...common.errors, unauthenticated: 402, forbidden: 400 },
      documents: { 402: "There is no Authorization header.", ...common.documents },
      handle: async ({ caller, body }) => {
        const drone = await findDrone(caller.id);
        if (!drone || body.room_number !== drone.id) {
          throw new DomainError("invalid_input", "room_number: the token is not that room's.");
        }
        const { room, pin, secret } = await service.open(drone);
        return {
          message: "The room is open.",
          room_number: room,
          room_password: pin,
          room_mgmt_token: secret,
        };
      },
    }),
    route({
      ...ofUser,
      path: "/video_room/:drone_id/start",
      summary: "Start the drone's video stream",
      description: "The room is made when it is not there.",
      query: StartQuery,
      success: { status: 200, schema: RoomForOwner },
      handle: async ({ caller, params, query }) =>
        forOwner(await service.start(caller.id, params.drone_id, query.update)),
    }),
    route({
      ...ofUser,
      path: "/video_room/:drone_id/stop",
      summary: "Stop the drone's video stream",
      description: "The drone's video room is closed.",
      success: { status: 200, schema: Message },
      handle: async ({ caller, params }) => {
        await service.stop(caller.id, params.drone_id);
        return { message: "The stream is stopped." };
      },
    }),
    route({
      ...ofUser,
      path: "/video_room/:drone_id/restart",
      summary: "Stop the stream and start it in a new room",
      success: { status: 200, schema: RoomForOwner },
      handle: async ({ caller, params }) => forOwner(await service.restart(caller.id, params.drone_id)),
    }),
  ];
}

const forOwner = ({ room, pin, listeners }: StartedStream) => ({
  message:
    listeners > 0
      ? "The stream starts."
      : "The room is open. No program on the drone listens; it must open the room itself.",
  room_number: room,
  room_password: pin,
  listeners,
});
