import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isDomainError } from "../../domain/errors";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Logger } from "../../platform/process/log";
import { NotHolder, PeerRequest } from "./messages";

/** Larger than any plan that a vehicle accepts. */
const MAX_REQUEST_BYTES = 8 * 1_048_576;

/** Carries out another replica's request; rejects with `NotHolder`, or as a link does. */
export type HandlePeerRequest = (request: PeerRequest) => Promise<unknown>;

/** Serves `POST /` to the other replicas, by their shared secret: `{result}`, or `{error: {code, message}}`. */
export function peerListener(secret: string, handle: HandlePeerRequest, log: Logger): RequestListener {
  return (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error }, "Request of another gateway failed");
      reply(response, 500, { error: { code: "internal", message: "Something went wrong on our side." } });
    });
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!constantTimeEqual(request.headers.authorization ?? "", `Bearer ${secret}`)) {
      return reply(response, 401, {
        error: { code: "unauthenticated", message: "The secret is missing or wrong." },
      });
    }
    const body = request.method === "POST" ? await readBody(request) : undefined;
    const parsed = PeerRequest.safeParse(parseJson(body));
    if (!parsed.success) {
      return reply(response, 400, { error: { code: "invalid_input", message: "Unknown peer request." } });
    }
    try {
      reply(response, 200, { result: await handle(parsed.data) });
    } catch (error) {
      if (error instanceof NotHolder) return reply(response, 409, {});
      if (isDomainError(error)) {
        const { code, message } = error;
        return reply(response, 422, { error: { code, message } });
      }
      throw error;
    }
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Undefined when it is too long; the rest is not read then. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
