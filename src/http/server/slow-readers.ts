import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Unanswered requests of one connection. Browsers and proxies do not pipeline. */
const MAX_PIPELINED = 8;
/** Replies of all clients of a server that wait to be read. */
const MAX_UNREAD_BYTES = 67_108_864;
const MAX_CHECK_MS = 1_000;
/** A reply of which more than this is unread when it is written is checked at once. */
const LONG_REPLY_BYTES = 1_048_576;

interface SlowReaderOptions {
  /** A connection whose reply makes no progress for so long is closed. */
  readonly stallSeconds: number;
  /** Called for each connection that is closed. */
  readonly onClosed?: (() => void) | undefined;
}

interface Connection {
  unanswered: number;
  /** Bytes that the system had taken at the last check; undefined while nothing waits. */
  sent: number | undefined;
  /** When `sent` last changed, by `performance.now()`. */
  progressAt: number;
}

/**
 * Closes connections that do not read their replies: after `stallSeconds` without progress, and those with the longest
 * stall once all together leave too much unread. Only bytes that wait for the reader count: a handler may take its time.
 * WebSockets are not watched.
 */
export function closeSlowReaders(server: Server, { stallSeconds, onClosed }: SlowReaderOptions): void {
  const connections = new Map<Socket, Connection>();
  const close = (socket: Socket) => {
    onClosed?.();
    socket.destroy();
  };

  server.prependListener("request", ({ socket }: IncomingMessage, reply: ServerResponse) => {
    let connection = connections.get(socket);
    if (!connection) {
      connection = { unanswered: 0, sent: undefined, progressAt: 0 };
      connections.set(socket, connection);
      socket.once("close", () => connections.delete(socket));
    }
    connection.unanswered += 1;
    if (connection.unanswered > MAX_PIPELINED) socket.destroy();
    reply.once("prefinish", () => {
      if (socket.writableLength > LONG_REPLY_BYTES) check();
    });
    reply.once("close", () => {
      connection.unanswered -= 1;
    });
  });

  const check = () => {
    const now = performance.now();
    let unreadBytes = 0;
    const waiting: [Socket, Connection][] = [];
    for (const [socket, connection] of connections) {
      const bytes = connection.unanswered > 0 ? socket.writableLength : 0;
      const sent = bytes > 0 ? bytesSent(socket) : undefined;
      if (sent !== connection.sent) {
        connection.sent = sent;
        connection.progressAt = now;
      }
      if (sent === undefined) continue;
      if (now - connection.progressAt >= stallSeconds * 1000) close(socket);
      else {
        unreadBytes += bytes;
        waiting.push([socket, connection]);
      }
    }
    waiting.sort(([, a], [, b]) => a.progressAt - b.progressAt);
    for (const [socket] of waiting) {
      if (unreadBytes <= MAX_UNREAD_BYTES) return;
      unreadBytes -= socket.writableLength;
      close(socket);
    }
  };

  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(check, Math.min(MAX_CHECK_MS, stallSeconds * 500)).unref();
  });
  server.on("close", () => clearInterval(timer));
}

/**
 * Bytes of a connection that the system has taken. Node's `bytesWritten` counts the bytes that were handed over. The
 * connection's handle, which Node's own timeout reads too, knows how many of them still wait.
 */
function bytesSent(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  return isHandle(handle) ? handle.bytesWritten - handle.writeQueueSize : undefined;
}

const isHandle = (handle: unknown): handle is { bytesWritten: number; writeQueueSize: number } =>
  typeof handle === "object" && handle !== null && "bytesWritten" in handle && "writeQueueSize" in handle;
