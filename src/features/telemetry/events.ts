import type { Server, Socket } from "socket.io";
import { z } from "zod";
import { BodyId, type UserCaller } from "../../http/route";
import { type TelemetryType, telemetryPayloads } from "../../vehicle/telemetry-messages";
import { DroneState } from "./fleet/drone-state";
import type { RecoverableSession } from "./sockets/recoverable-session";
import { STREAMS } from "./streams";

/** The payload is whatever the client sent. */
interface ClientToServerEvents {
  subscribe_telemetry(request: unknown): void;
  unsubscribe_telemetry(request: unknown): void;
  subscribe_fleet(): void;
  unsubscribe_fleet(): void;
}

/** Payloads of the server's events. They describe it for `/asyncapi.json`; nothing is parsed when an event is sent. */
export const eventPayloads = {
  connected: z.object({
    status: z.literal("connected").describe("Always `connected`."),
    user_id: BodyId.describe("The id of the token's user."),
  }),
  subscription_confirmed: z.object({
    status: z.enum(["subscribed", "unsubscribed"]).describe("What the request did."),
    stream_type: z
      .enum([...STREAMS, "fleet"])
      .describe("The request's stream; `fleet` of a fleet's request."),
    drone_id: BodyId.optional().describe("The request's drone. Absent with `fleet`."),
  }),
  fleet_data: z.object({
    complete: z.boolean().describe("Whether these are all of the user's drones, or those that changed."),
    // Not by its id: each message of the description is whole.
    drones: z.object(DroneState.shape).array().describe("As in the reply of `GET /drones/state`."),
  }),
  error: z.object({ message: z.string().describe("What failed, why, and what to do.") }),
  session: z.string().describe("A recovery ticket: random, and new for each socket."),
} as const;

type EventPayload<Name extends keyof typeof eventPayloads> = z.output<(typeof eventPayloads)[Name]>;

interface ServerToClientEvents {
  connected(welcome: EventPayload<"connected">): void;
  subscription_confirmed(confirmation: EventPayload<"subscription_confirmed">): void;
  telemetry_data(frame: TelemetryFrame): void;
  fleet_data(data: EventPayload<"fleet_data">): void;
  error(error: EventPayload<"error">): void;
  /** For the client library alone, which sends the ticket when it reconnects. */
  session(ticket: EventPayload<"session">): void;
}

/** The payload of `telemetry_data` for a type; positions carry the computed `yaw`. */
export const frameOf = (type: TelemetryType) =>
  z.object({
    type: z.literal(type).describe("The type. It says which fields `data` has."),
    drone_id: BodyId.describe("The drone's id."),
    data: telemetryPayloads[type],
  });

/** One message of a drone, as `frameOf` its type describes it. */
export interface TelemetryFrame {
  readonly type: TelemetryType;
  readonly drone_id: number;
  readonly data: object;
}

/** The outcome of a handshake. */
export type Session = { readonly userId: number; readonly token: UserCaller } | { readonly refused: string };

interface SocketData {
  session: Session;
  /** Of a client that reconnected: its former socket, and the ticket that it sent. */
  readonly recovered?: RecoverableSession;
  readonly ticket?: string;
}

type ServerToServerEvents = Record<string, never>;

export type TelemetryServer = Server<
  ClientToServerEvents,
  ServerToClientEvents,
  ServerToServerEvents,
  SocketData
>;
export type TelemetrySocket = Socket<
  ClientToServerEvents,
  ServerToClientEvents,
  ServerToServerEvents,
  SocketData
>;
