import type { TelemetrySocket } from "../events";
import { webSocketOf } from "./client-limits";

type Connection = TelemetrySocket["conn"];

/**
 * Sends the packets of a flush in one system call. Engine.IO makes one for each, and they are half of the CPU of a
 * gateway with many watchers.
 */
export function writeWholeFlushes(connection: Connection): void {
  connection.on("flush", () => webSocketOf(connection)?._socket?.cork());
  connection.on("drain", () => webSocketOf(connection)?._socket?.uncork());
}
