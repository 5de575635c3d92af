import type { Server, Socket } from "socket.io";
import { z } from "zod";
import { BodyId } from "../../http/route";
import { STREAMS, type Stream, type TelemetryType } from "./streams";

/** What a watcher asks for. */
export const StreamRequest = z.object({ drone_id: BodyId, stream_type: z.enum(STREAMS) });
export type StreamRequest = z.output<typeof StreamRequest>;

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
}

/** One message of a drone's. `data` is the type's payload; positions carry the computed `yaw`. */
export interface TelemetryFrame {
  readonly type: TelemetryType;
  readonly drone_id: number;
  readonly data: object;
}

/** The outcome of a handshake. */
export type Session = { readonly userId: number } | { readonly refused: string };

type None = Record<never, never>;
export type TelemetryServer = Server<Asked, Told, None, { session: Session }>;
export type TelemetrySocket = Socket<Asked, Told, None, { session: Session }>;
