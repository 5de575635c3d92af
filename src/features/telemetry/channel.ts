import { z } from "zod";
import type { SocketChannel, SocketMessage } from "../../http/openapi/asyncapi";
import { telemetryPayloads } from "../../vehicle/telemetry-messages";
import { errorExamples } from "./error-messages";
import { eventPayloads, frameOf } from "./events";
import { FRESH_MS } from "./feeds/drone-feed";
import { connectionRefusals } from "./sockets/refuse-connections";
import { MAX_STREAMS, MAX_WAITING_REQUESTS } from "./sockets/requests";
import { RECOVERY_WINDOW_MS } from "./sockets/session-recovery";
import { MAX_REQUEST_BYTES, SOCKETS_PATH } from "./sockets/telemetry-sockets";
import { MAX_HELD_EVENTS } from "./sockets/watcher";
import { StreamRequest, streamsOf, TELEMETRY_TYPES } from "./streams";

const description = `Socket.IO 4 (Engine.IO protocol 4, WebSocket or long polling), namespace \`/\`. Each message is an event: its name is \`name\`, its only argument the payload.

1. Connect with \`token\` in the query, and wait for \`connected\`. A connection that is refused with one of \`x-refusals\` gets no event. A token that is refused gets \`error\`, and is disconnected.
2. Send \`subscribe_telemetry\` for a drone and a stream. The socket enters the room \`drone_{drone_id}_{stream_type}\`. Requests are answered in their order. At most ${MAX_WAITING_REQUESTS} may wait, and a socket watches at most ${MAX_STREAMS} streams.
3. Receive \`telemetry_data\`, first the newest frame of each type that is not older than ${FRESH_MS / 1000} s (\`home\` at any age).

\`subscribe_fleet\` watches the newest states of all drones of the token's user: first \`fleet_data\` with all of them, then once a second those that changed; all again after the user got a drone or lost one, and after the socket was slow. No drone is dialled for it. It is not one of the streams that are counted.

A type comes at most \`TELEMETRY_MAX_HZ\` times a second, 10 unless it is set, and one that was late with the next; of \`logs\` each line comes. A socket that is in several rooms gets each frame once. A client that reads too slowly gets the newest frame of each type and the last ${MAX_HELD_EVENTS} lines of \`logs\` when it reads again.

A socket outlives the expiry of its token. A request of more than ${MAX_REQUEST_BYTES / 1024} KiB ends the connection, as does a client that sends much and reads nothing. A gateway that stops ends its connections as a failing network does. Beyond the port's own limits a connection is closed without a reply.

A client of the JavaScript library that was disconnected for at most ${RECOVERY_WINDOW_MS / 60_000} minutes recovers its session: it is in its rooms again without asking, once the token and its right to each drone are checked again. Other clients subscribe again. Missed frames are not sent.`;

const requestMessage = (id: "subscribe_telemetry" | "unsubscribe_telemetry", summary: string) => ({
  id,
  name: id,
  summary,
  payload: StreamRequest,
  replies: ["subscription_confirmed", "error"],
});

const eventMessage = (
  id: keyof typeof eventPayloads,
  summary: string,
  more: Partial<SocketMessage> = {},
): SocketMessage => ({ id, name: id, summary, payload: eventPayloads[id], ...more });

/** Live telemetry as it is described. */
export const telemetryChannel: SocketChannel = {
  name: "telemetry",
  address: SOCKETS_PATH,
  server: "gateway",
  title: "Live telemetry",
  description,
  query: z.object({
    token: z.string().describe("An access token. Every connection needs a valid one."),
    EIO: z.literal("4").describe("The version of Engine.IO's protocol; client libraries send it."),
    transport: z.enum(["websocket", "polling"]).describe("The transport; client libraries send it."),
  }),
  fromClient: [
    requestMessage("subscribe_telemetry", "Watch a stream of a drone."),
    requestMessage("unsubscribe_telemetry", "Stop watching a stream of a drone."),
    {
      ...{ id: "subscribe_fleet", name: "subscribe_fleet", replies: ["subscription_confirmed", "error"] },
      summary: "Watch the states of all drones of the user.",
    },
    {
      ...{ id: "unsubscribe_fleet", name: "unsubscribe_fleet", replies: ["subscription_confirmed", "error"] },
      summary: "Stop watching them.",
    },
  ],
  toClient: [
    eventMessage("connected", "The token is accepted, and requests may be sent."),
    eventMessage("subscription_confirmed", "A request was carried out."),
    eventMessage("error", "A token or a request is refused, or a drone cannot be watched.", {
      examples: errorExamples,
    }),
    eventMessage("fleet_data", "What changed on the user's drones, or all of it."),
    eventMessage("session", "For the client library, which sends it to recover its session. Ignore it."),
    ...TELEMETRY_TYPES.map((type) => ({
      id: `telemetry_data_${type}`,
      name: "telemetry_data",
      summary: `${telemetryPayloads[type].description ?? type} Streams: ${streamsOf(type).join(", ")}.`,
      payload: frameOf(type),
      extensions: { "x-streams": streamsOf(type) },
    })),
  ],
  refusals: connectionRefusals,
};
