import type { IncomingMessage, ServerResponse } from "node:http";
import { errorReply, toDomainError } from "../../../http/errors";
import { refuseUpgrade } from "../../../http/server/refuse-upgrade";

/** A middleware of Engine.IO, which itself would answer every refusal with 403. */
type Middleware = (request: IncomingMessage, reply: ServerResponse, next: () => void) => void;

/** Refuses a request that opens a connection when `check` throws for its URL, with the error's status. */
export function refuseConnections(check: (url: string) => void): Middleware {
  return (request, reply, next) => {
    const { url = "", socket } = request;
    if (new URL(url, "http://any").searchParams.has("sid")) return next();
    try {
      check(url);
    } catch (error) {
      const { status, body } = errorReply(toDomainError(error), { envelope: "B" });
      // An upgrade has no reply of the server's.
      if (request.headers.upgrade) return refuseUpgrade(socket, status, body as object);
      reply.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      return;
    }
    next();
  };
}
