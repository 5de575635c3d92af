import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes replies that wait behind another reply of their connection when the connection is closed. Node closes only the
 * reply that is being sent: the others would never emit `close`, and their counters would count them for ever.
 */
export function closePipelinedReplies(server: Server): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  server.prependListener("request", ({ socket }: IncomingMessage, reply: ServerResponse) => {
    // Node has begun with this one.
    if (reply.socket) return;
    const replies = waiting.get(socket) ?? new Set();
    if (!waiting.has(socket)) {
      waiting.set(socket, replies);
      socket.once("close", () => replies.forEach(close));
    }
    replies.add(reply);
    reply.once("close", () => replies.delete(reply));
  });
}

function close(reply: ServerResponse): void {
  reply.destroy();
  reply.emit("close");
}
