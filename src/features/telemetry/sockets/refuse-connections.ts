import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError, type ErrorCode } from "../../../domain/errors";
import { errorReply, toDomainError } from "../../../http/errors";
import { refuseUpgrade } from "../../../http/server/refuse-upgrade";

/** Why a connection is refused, by the error's code. The reply has the code's status and the body `{error}`. */
const refusalCodes = {
  too_many_requests: "You have as many connections to this gateway as the quota `sockets` allows. Close one.",
  overloaded:
    "The gateway has as many connections as it may (`TELEMETRY_MAX_SOCKETS`), clients without a valid token have a tenth of them, or it is shutting down. Try again in a moment.",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The statuses with which a request that opens a connection is refused. */
export const connectionRefusals = [
  ...Object.entries(refusalCodes).map(([code, description]) => ({
    status: errorReply(new DomainError(code as ErrorCode, ""), { envelope: "B" }).status,
    description,
  })),
  {
    status: 400,
    description:
      "Engine.IO refuses it: an unknown transport, session or protocol version (it speaks 4), or another method. The body is `{code, message}`.",
  },
];

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
