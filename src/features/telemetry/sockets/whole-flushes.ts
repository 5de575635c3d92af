import type { Socket as TcpSocket } from "node:net";
import type { TelemetrySocket } from "../events";

type Connection = TelemetrySocket["conn"];

/**
 * Sends the packets of a flush in one system call. Engine.IO makes one for each, and they are half of the CPU of a
 * gateway with many watchers.
 */
export function writeWholeFlushes(connection: Connection): void {
  connection.on("flush", () => tcpSocketOf(connection)?.cork());
  connection.on("drain", () => tcpSocketOf(connection)?.uncork());
}

/** Undefined while the client polls. */
function tcpSocketOf({ transport }: Connection): TcpSocket | undefined {
  const webSocket: { readonly _socket: TcpSocket } | undefined = Reflect.get(transport, "socket");
  return webSocket?._socket;
}
