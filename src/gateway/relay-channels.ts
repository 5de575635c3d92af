import { z } from "zod";
import { TOPICS_FROM_DRONE } from "../domain/drone-channels";
import { Acknowledgement, StickFrame, VehicleStatus, VideoOutcome } from "../domain/pilot-frames";
import {
  closeCodeMeanings,
  closeCodes,
  DEFAULT_DRONE_PORT,
  lookupFailures,
  MAX_FRAME_BYTES,
  type PilotRoute,
  upgradeRefusals,
} from "../domain/relay-sockets";
import type { SocketChannel, SocketMessage } from "../http/openapi/asyncapi";

const session = `In the profile \`strict\` the relay requires an access token of the drone's owner; in \`contract\` it reads no token. The WebSocket is accepted before the drone is looked up: a session that is refused then is closed with one of \`x-close-codes\`, whose reason says why. Frames that are sent before wait, and none is lost or reordered. The drone's address is bound when the session opens. A token that expires closes nothing.

A frame has at most ${MAX_FRAME_BYTES} bytes. The relay reads no frame, and sends none of its own except \`lookup_failure\`. A client that sends nothing between two pings, not even a pong, is disconnected without a close frame (\`RELAY_PING_SECONDS\`, 10 unless it is set). To a client that reads too slowly the oldest frames are dropped.`;

const descriptions: Readonly<Record<PilotRoute, string>> = {
  redispad: `Sticks to the drone, and messages of the drone back, by the drone's channels in Redis. Each text frame goes to \`{drone_ip}:gamepad_input\`. Each message on ${TOPICS_FROM_DRONE.map((topic) => `\`{drone_ip}:${topic}\``).join(" and ")} comes back as a text frame. The frames below are those of the agent on board.

Send sticks 10 to 50 times a second, also while they are held still: 0.5 s without a fresh frame stop the vehicle.

${session}`,
  gamepad: `Legacy: text and binary frames pass both ways, unchanged, between the client and the drone's own WebSocket, \`ws://{drone_ip}:{port}/\`. When either closes, so does the other. It works only where the relay itself has a route to the drones; otherwise it closes with 1013.

${session}`,
};

const text = (id: string, summary: string): SocketMessage => ({
  id,
  name: id,
  summary,
  payload: z.string().describe("The frame as it was sent."),
  contentType: "text/plain",
});

const lookupFailure: SocketMessage = {
  ...text("lookup_failure", "The drone does not exist, or it has no address. A close with 4404 follows."),
  payload: z.literal(lookupFailures).describe("Which of the two is missing."),
};

/** Frames from the client, and to it. */
const frames: Readonly<
  Record<PilotRoute, { fromClient: readonly SocketMessage[]; toClient: readonly SocketMessage[] }>
> = {
  redispad: {
    fromClient: [
      {
        id: "sticks",
        name: "sticks",
        summary: "The pilot's sticks.",
        payload: StickFrame,
        examples: [
          {
            name: "forward",
            summary: "Forward, turning a little to the left.",
            payload: {
              t: 81_234.5,
              session: "6f1c9a",
              axes: { roll: 0, pitch: 0.4, throttle: 0, yaw: -0.1 },
              buttons: [false, true],
            },
          },
        ],
        replies: ["ack"],
      },
    ],
    toClient: [
      {
        id: "ack",
        name: "ack",
        summary: "What the agent did with a frame. Frames that a newer one overtook get none.",
        payload: Acknowledgement,
      },
      {
        id: "status",
        name: "status",
        summary: "The vehicle, with every heartbeat and change.",
        payload: VehicleStatus,
      },
      {
        id: "video",
        name: "video",
        summary: "What the agent did with a video message of the gateway.",
        payload: VideoOutcome,
      },
      text(
        "aruco_tracking",
        "Markers that the drone's camera sees, as the drone's own tracker formats them.",
      ),
      lookupFailure,
    ],
  },
  gamepad: {
    fromClient: [
      text("text_to_drone", "Any text for the drone's own WebSocket."),
      {
        ...text("bytes_to_drone", "Any bytes for the drone's own WebSocket."),
        contentType: "application/octet-stream",
      },
    ],
    toClient: [
      text("text_from_drone", "Any text of the drone's own WebSocket."),
      {
        ...text("bytes_from_drone", "Any bytes of the drone's own WebSocket."),
        contentType: "application/octet-stream",
      },
      lookupFailure,
    ],
  },
};

const access_token = z
  .string()
  .optional()
  .describe("An access token of the drone's owner. Required in `strict`, not read in `contract`.");
const port = z
  .int()
  .min(1)
  .max(65_535)
  .default(DEFAULT_DRONE_PORT)
  .describe("Port of the drone's own WebSocket.");

const refusals = [
  ...Object.values(upgradeRefusals).map(({ status, error, meaning }) => ({
    status,
    description: `${meaning} The body is \`{"error": "${error}"}\`.`,
  })),
  { status: 400, description: "The handshake is not one of WebSocket 13." },
  { status: 405, description: "The method is not GET." },
  { status: 431, description: "The headers are over 16 KiB." },
];

const closeCodeRows = Object.entries(closeCodeMeanings).map(([name, meaning]) => ({
  code: closeCodes[name as keyof typeof closeCodes],
  name,
  ...meaning,
}));

const relayChannel = (route: PilotRoute, query: z.ZodObject): SocketChannel => ({
  name: route,
  address: `/${route}/{drone_id}`,
  server: "relay",
  title: route === "redispad" ? "Sticks" : "Sticks, to the drone's own WebSocket",
  description: descriptions[route],
  parameters: { drone_id: "The drone's id." },
  query,
  ...frames[route],
  refusals,
  closeCodes: closeCodeRows.filter(({ code }) => route === "redispad" || code !== closeCodes.binaryFrame),
});

/** The relay's WebSockets as they are described. */
export const relayChannels: readonly SocketChannel[] = [
  relayChannel("redispad", z.object({ access_token })),
  relayChannel("gamepad", z.object({ access_token, port })),
];
