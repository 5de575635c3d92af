import type { Server, Socket } from "socket.io";
import type { UserCaller } from "../../http/route";
import type { RecoverableSession } from "./sockets/recoverable-session";
import type { Stream, TelemetryType } from "./streams";

/** The payload is whatever the client sent. */
interface ClientToServerEvents {
  subscribe_telemetry(request: unknown): void;
  unsubscribe_telemetry(request: unknown): void;
}

interface ServerToClientEvents {
  connected(welcome: { status: "connected"; user_id: number }): void;
  subscription_confirmed(confirmation: {
    status: "subscribed" | "unsubscribed";
    stream_type: Stream;
    drone_id: number;
  }): void;
  telemetry_data(frame: TelemetryFrame): void;
  error(error: { message: string }): void;
  /** For the client library alone, which sends the ticket when it reconnects. */
  session(ticket: string): void;
}

/** One message of a drone. `data` is the type's payload; positions carry the computed `yaw`. */
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
