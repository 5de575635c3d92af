import { type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { hostOf } from "../../platform/process/open-port";
import type { LiveDrone } from "./admission";
import { endToEnd, framing } from "./headers";

/** An answer of the edge itself. */
export interface ErrorReply {
  readonly status: 400 | 403 | 404 | 405 | 408 | 429 | 502 | 503 | 504;
  readonly message: string;
}

export interface Upstream {
  readonly origin: URL;
  /** Longest time without a byte in either direction. */
  readonly idleTimeoutMs: number;
  /** The upstream's name in error messages. */
  readonly name: string;
}

export interface HttpProxy {
  forward(request: IncomingMessage, reply: ServerResponse, drone: LiveDrone): void;
  /** Answers in the caller's envelope; only before a reply has begun. */
  fail(request: IncomingMessage, reply: ServerResponse, error: ErrorReply): void;
}

export interface Forwarding {
  readonly upstream: Upstream;
  /** End-to-end headers of the new request. */
  readonly headers: ReturnType<typeof endToEnd>;
  readonly fail: (error: ErrorReply) => void;
}

/**
 * Sends the request on and its reply back, both as streams, with the same path and method. When one side breaks off,
 * the other is cut.
 */
export function forward(
  request: IncomingMessage,
  reply: ServerResponse,
  { upstream, headers, fail }: Forwarding,
): void {
  const { origin, idleTimeoutMs, name } = upstream;
  const length = framing(request.headers);
  if (!length) {
    fail({ status: 400, message: "The request states its length in more than one way." });
    return;
  }
  const outgoing = (origin.protocol === "https:" ? requestHttps : requestHttp)({
    protocol: origin.protocol,
    hostname: hostOf(origin),
    port: origin.port,
    servername: origin.hostname,
    method: request.method,
    path: request.url,
    headers: { ...headers, ...length },
    timeout: idleTimeoutMs,
    // A connection of its own: a reused one may be closed by the upstream just when the request goes out, which cannot
    // be distinguished from a request that was carried out.
    agent: false,
  });
  let answered = false;
  const failed = (error: ErrorReply) => {
    outgoing.destroy();
    // The upstream may answer, and hang up on the rest of a request that it does not want.
    if (answered) return;
    if (reply.headersSent) reply.destroy();
    else fail(error);
  };
  outgoing.on("timeout", () =>
    failed(
      request.complete
        ? { status: 504, message: `${name} does not answer.` }
        : { status: 408, message: "The request was not sent in time." },
    ),
  );
  outgoing.on("error", () => failed({ status: 502, message: `${name} cannot be reached.` }));
  outgoing.on("response", (answer) => {
    reply.writeHead(answer.statusCode ?? 502, {
      ...endToEnd(answer.headers),
      ...(framing(answer.headers) ?? {}),
    });
    answer.on("end", () => {
      answered = true;
    });
    answer.on("error", () => reply.destroy());
    answer.pipe(reply);
  });
  reply.on("close", () => {
    if (!reply.writableFinished) outgoing.destroy();
  });
  request.on("error", () => outgoing.destroy());
  request.pipe(outgoing);
}
