import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openPort } from "../../platform/process/open-port";

/** A connection without a request may have one on its way when its server stops: it is kept for so long. */
const IN_FLIGHT_MS = 500;

/** The latest request of a connection. */
interface LatestRequest {
  readonly reply: ServerResponse;
  /** The connection's `bytesRead` when the reply was closed: more bytes belong to its next request. */
  readUntil: number;
}

interface Connections {
  /** Connections that have sent a request. */
  readonly latest: Map<Socket, LatestRequest>;
  /** Called when a reply is closed; does nothing until the server stops. */
  closeIdle(): void;
}

const connectionsOf = new WeakMap<Server, Connections>();

/** Listen, as `openPort` does, and return `http://host:port`. May be tried again. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  if (!connectionsOf.has(server)) watchReplies(server);
  return `http://${await openPort(server, port, host)}`;
}

function watchReplies(server: Server): void {
  const latest: Connections["latest"] = new Map();
  const connections: Connections = { latest, closeIdle: () => {} };
  connectionsOf.set(server, connections);
  server.prependListener("request", ({ socket }, reply: ServerResponse) => {
    if (!server.listening) reply.setHeader("connection", "close");
    if (!latest.has(socket)) socket.once("close", () => latest.delete(socket));
    const request = { reply, readUntil: Number.NaN };
    latest.set(socket, request);
    reply.once("close", () => {
      request.readUntil = socket.bytesRead;
      connections.closeIdle();
    });
  });
}

/**
 * Stop a server that `listen` may have started: accept no connection, finish open requests, and close each connection
 * that has none.
 */
export async function closeServer(server: Server): Promise<void> {
  const connections = connectionsOf.get(server);
  if (!connections) return;
  const open = () => [...connections.latest.values()].filter(({ reply }) => !reply.closed);
  connections.closeIdle = () => {
    for (const [socket, { reply, readUntil }] of connections.latest)
      if (reply.closed && socket.bytesRead === readUntil) socket.destroy();
  };
  // Node calls this when it closes. Its own version would cut replies that a slow reader has yet to take.
  server.closeIdleConnections = connections.closeIdle;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Otherwise Node keeps the connections of open requests for the whole keep-alive time.
  for (const { reply } of open()) if (!reply.headersSent) reply.setHeader("connection", "close");
  await Promise.race([closed, delay(IN_FLIGHT_MS, undefined, { ref: false })]);
  // Connections that browsers open in advance, and incomplete requests, remain beside open requests.
  const { closeIdle } = connections;
  connections.closeIdle = () => (open().length === 0 ? server.closeAllConnections() : closeIdle());
  connections.closeIdle();
  await closed;
}
