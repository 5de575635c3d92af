import { type Agent, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { endToEnd, framing } from "./headers";

/** What the edge itself answers. */
export interface Fault {
  readonly status: 400 | 403 | 404 | 405 | 408 | 429 | 502 | 503 | 504;
  readonly message: string;
}

export interface Upstream {
  readonly origin: URL;
  readonly agent: Agent;
  /** How long neither side may say anything. */
  readonly silenceMs: number;
  /** What the far side is called in an answer of ours. */
  readonly name: string;
}

export interface Forwarding {
  readonly upstream: Upstream;
  /** End-to-end headers of the new request. */
  readonly headers: ReturnType<typeof endToEnd>;
  /** Answers in the caller's envelope; only before a reply has begun. */
  readonly fail: (fault: Fault) => void;
}

/**
 * Sends the request on and its reply back, both as streams; the path and the method as they came. A side that
 * breaks off breaks the other off.
 */
export function forward(
  request: IncomingMessage,
  reply: ServerResponse,
  { upstream, headers, fail }: Forwarding,
): void {
  const { origin, agent, silenceMs, name } = upstream;
  const length = framing(request.headers);
  if (!length) {
    fail({ status: 400, message: "The length of the request is told in more than one way." });
    return;
  }
  const outgoing = (origin.protocol === "https:" ? requestHttps : requestHttp)({
    protocol: origin.protocol,
    hostname: origin.hostname.replace(/^\[|\]$/g, ""),
    port: origin.port,
    servername: origin.hostname,
    method: request.method,
    path: request.url,
    headers: { ...headers, ...length },
    agent,
  });
  let answered = false;
  const failed = (fault: Fault) => {
    clearTimeout(silence);
    outgoing.destroy();
    // The far side may answer, and hang up on the rest of a request that it does not want.
    if (answered) return;
    if (reply.headersSent) reply.destroy();
    else fail(fault);
  };
  const silence = setTimeout(
    () =>
      failed(
        request.complete
          ? { status: 504, message: `${name} does not answer.` }
          : { status: 408, message: "The request was not sent in time." },
      ),
    silenceMs,
  );
  outgoing.on("error", () => failed({ status: 502, message: `${name} cannot be reached.` }));
  outgoing.on("response", (answer) => {
    silence.refresh();
    reply.writeHead(answer.statusCode ?? 502, {
      ...endToEnd(answer.headers),
      ...(framing(answer.headers) ?? {}),
    });
    answer.on("data", () => silence.refresh());
    answer.on("end", () => {
      answered = true;
    });
    answer.on("error", () => reply.destroy());
    answer.pipe(reply);
  });
  reply.on("close", () => {
    clearTimeout(silence);
    if (!reply.writableFinished) outgoing.destroy();
  });
  request.on("data", () => silence.refresh());
  request.on("error", () => outgoing.destroy());
  request.pipe(outgoing);
}
