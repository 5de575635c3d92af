import type { Socket as TcpSocket } from "node:net";
import type { TelemetrySocket } from "./events";

/** Packets that a client may send while it takes nothing of what it is sent: each has an answer. */
const MAX_UNANSWERED = 1_000;
/** Of one connection: a client joins once. */
const MAX_JOINS = 10;
/**
 * Of a WebSocket's own queue. A slow watcher's frames are held before it, the newest of each drone and type: of as many
 * drones as one may watch that is less.
 */
const MAX_QUEUED_BYTES = 8 * 2 ** 20;
const LOOK_MS = 1_000;
/** How a request to join begins: Socket.IO's CONNECT, to any namespace. */
const CONNECT = "0";

/**
 * unread_answers: it asked on and on and took none of the answers.
 * joins:          it asked to join again and again, each time for an answer and perhaps a socket.
 * unread_bytes:   what its WebSocket was to send grew too long.
 */
export type EndReason = "unread_answers" | "joins" | "unread_bytes";
export type OnEnded = (why: EndReason) => void;

type Connection = TelemetrySocket["conn"];

/** Ends the connection of a client that makes its answers grow, whether it has joined or not. */
export function endWhenUnread(connection: Connection, onEnded: OnEnded): void {
  let [unanswered, joins] = [0, 0];
  const end = (why: EndReason) => {
    onEnded(why);
    hangUp(connection);
  };
  connection.on("flush", () => {
    unanswered = 0;
  });
  connection.on("packet", ({ type, data }) => {
    unanswered = connection.transport.writable ? 0 : unanswered + 1;
    if (unanswered > MAX_UNANSWERED) end("unread_answers");
    else if (type === "message" && String(data).startsWith(CONNECT) && ++joins > MAX_JOINS) end("joins");
  });
}

/** Cuts the WebSockets among these that leave too much unread; answers with how to stop looking. */
export function cutWhenUnread(webSockets: Iterable<TcpSocket>, onEnded: OnEnded): () => void {
  const looking = setInterval(() => {
    for (const socket of webSockets) {
      if (socket.writableLength <= MAX_QUEUED_BYTES || socket.destroyed) continue;
      onEnded("unread_bytes");
      socket.destroy();
    }
  }, LOOK_MS).unref();
  return () => clearInterval(looking);
}

/** At once: an orderly end would wait for a reader that there is none of. */
function hangUp(connection: Connection): void {
  const webSocket: unknown = Reflect.get(connection.transport, "socket");
  connection.close(true);
  if (canTerminate(webSocket)) webSocket.terminate();
}

const canTerminate = (socket: unknown): socket is { terminate(): void } =>
  typeof socket === "object" && socket !== null && "terminate" in socket;
