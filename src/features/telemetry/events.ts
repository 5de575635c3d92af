import type { Server, Socket } from "socket.io";
import type { UserCaller } from "../../http/route";
import type { Remembered } from "./recovery";
import type { Stream, TelemetryType } from "./streams";

/** Client to server. What arrives is whatever the client sent. */
interface Asked {
  subscribe_telemetry(request: unknown): void;
  unsubscribe_telemetry(request: unknown): void;
}

/** Server to client. */
interface Told {
  connected(welcome: { status: "connected"; user_id: number }): void;
  subscription_confirmed(confirmed: {
    status: "subscribed" | "unsubscribed";
    stream_type: Stream;
    drone_id: number;
  }): void;
  telemetry_data(frame: TelemetryFrame): void;
  error(told: { message: string }): void;
  /** For the client library alone, which shows the ticket when it comes back after a drop of the network. */
  session(ticket: string): void;
}

/** One message of a drone's. `data` is the type's payload; positions carry the computed `yaw`. */
export interface TelemetryFrame {
  readonly type: TelemetryType;
  readonly drone_id: number;
  readonly data: object;
}

/** Whether what another replica published is a frame, as far as must be known here. */
export const isTelemetry = (frame: unknown): frame is TelemetryFrame =>
  typeof frame === "object" && frame !== null && "type" in frame && "drone_id" in frame;

/** The outcome of a handshake. */
export type Session = { readonly userId: number; readonly token: UserCaller } | { readonly refused: string };

/** Replica to replica: nothing but frames, which the adapter carries. */
type Between = Record<string, never>;

interface Kept {
  session: Session;
  /** Of a socket that came back: what it was, and the ticket that it showed. */
  readonly remembered?: Remembered;
  readonly ticket?: string;
}

export type TelemetryServer = Server<Asked, Told, Between, Kept>;
export type TelemetrySocket = Socket<Asked, Told, Between, Kept>;
