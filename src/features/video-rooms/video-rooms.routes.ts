import { DomainError } from "../../domain/errors";
import { ids, Message, type Route, route } from "../../http/route";
import type { Drone } from "../drones";
import { RoomForDrone, RoomForOwner, RoomRequest, StartQuery } from "./video-rooms.schema";
import type { StartedStream, VideoRooms } from "./video-rooms.service";

const tag = "Video rooms";
const envelope = "B";
const params = ids("drone_id");
const errors = { unavailable: 400, internal: 400 } as const;
const documents = { 400: "It failed; the message says why, such as a media server that is down." };

export function videoRoomRoutes(
  service: VideoRooms,
  findDrone: (id: number) => Promise<Drone | undefined>,
): readonly Route[] {
  return [
    route({
      method: "post",
      path: "/video_room",
      tag,
      summary: "Open the video room, as the drone",
      description: "A room that is there already is used again. Its number is the drone's id.",
      guard: "video_room",
      envelope,
      body: RoomRequest,
      success: { status: 200, schema: RoomForDrone },
      errors: { ...errors, unauthenticated: 402, forbidden: 400 },
      documents: { 402: "There is no Authorization header.", ...documents },
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
      method: "get",
      path: "/video_room/:drone_id/start",
      tag,
      summary: "Start the drone's video stream",
      description: "The room is made when it is not there.",
      guard: "user",
      envelope,
      params,
      query: StartQuery,
      success: { status: 200, schema: RoomForOwner },
      errors,
      documents,
      handle: async ({ caller, params, query }) =>
        forOwner(await service.start(caller.id, params.drone_id, query.update)),
    }),
    route({
      method: "get",
      path: "/video_room/:drone_id/stop",
      tag,
      summary: "Stop the drone's video stream",
      description: "The drone's video room is closed.",
      guard: "user",
      envelope,
      params,
      success: { status: 200, schema: Message },
      errors,
      documents,
      handle: async ({ caller, params }) => {
        await service.stop(caller.id, params.drone_id);
        return { message: "The stream is stopped." };
      },
    }),
    route({
      method: "get",
      path: "/video_room/:drone_id/restart",
      tag,
      summary: "Stop the stream and start it in a new room",
      guard: "user",
      envelope,
      params,
      success: { status: 200, schema: RoomForOwner },
      errors,
      documents,
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
