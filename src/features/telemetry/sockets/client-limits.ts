import type { Socket as TcpSocket } from "node:net";
import type { TelemetrySocket } from "../events";

/** Packets that a client may send while it reads nothing: each has a reply. */
const MAX_UNANSWERED = 1_000;
/** Socket.IO CONNECT packets of one connection: a client sends one. */
const MAX_JOINS = 10;
/** Bytes that a WebSocket may leave unread. A slow watcher's frames are held before it and need less. */
const MAX_UNREAD_BYTES = 8 * 2 ** 20;
const CHECK_MS = 1_000;
/** How a Socket.IO CONNECT packet begins, to any namespace. */
const CONNECT = "0";

/**
 * unread_answers: the client sent more and more packets and read no reply.
 * joins:          it sent CONNECT again and again, each time for a reply and perhaps a socket.
 * unread_bytes:   too many bytes waited in its WebSocket.
 */
export type ClosedReason = "unread_answers" | "joins" | "unread_bytes";
type OnClosed = (reason: ClosedReason) => void;

type Connection = TelemetrySocket["conn"];

/** The WebSocket of `ws` that carries a connection; undefined while the client polls. */
export const webSocketOf = ({
  transport,
}: Connection): { terminate(): void; readonly _socket: TcpSocket | null } | undefined =>
  Reflect.get(transport, "socket");

/** Closes the connection of a client that makes its replies grow, before or after it has joined. */
export function limitPackets(connection: Connection, onClosed: OnClosed): void {
  let [unanswered, joins] = [0, 0];
  const close = (reason: ClosedReason) => {
    onClosed(reason);
    connection.close(true);
    // An orderly close would wait for a reader.
    webSocketOf(connection)?.terminate();
  };
  connection.on("flush", () => {
    unanswered = 0;
  });
  connection.on("packet", ({ type, data }) => {
    unanswered = connection.transport.writable ? 0 : unanswered + 1;
    if (unanswered > MAX_UNANSWERED) close("unread_answers");
    else if (type === "message" && String(data).startsWith(CONNECT) && ++joins > MAX_JOINS) close("joins");
  });
}

/** Destroys the WebSockets that leave too much unread. Returns the function that stops the check. */
export function limitUnreadBytes(webSockets: Iterable<TcpSocket>, onClosed: OnClosed): () => void {
  const timer = setInterval(() => {
    for (const socket of webSockets) {
      if (socket.writableLength <= MAX_UNREAD_BYTES || socket.destroyed) continue;
      onClosed("unread_bytes");
      socket.destroy();
    }
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}
