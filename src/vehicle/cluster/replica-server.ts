import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isDomainError } from "../../domain/errors";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Logger } from "../../platform/process/log";
import { NotHolder, ReplicaRequest } from "./messages";

/** Larger than any plan that a vehicle accepts. */
const MAX_REQUEST_BYTES = 8 * 1_048_576;

/**
 * Serves `POST /` to the other replicas, by their shared secret: `{result}`, or `{error: {code, message}}`. `handle`
 * carries a request out; it rejects with `NotHolder`, or as a link does.
 */
export const replicaListener =
  (secret: string, handle: (request: ReplicaRequest) => Promise<unknown>, log: Logger): RequestListener =>
  async (request, response) => {
    try {
      if (!constantTimeEqual(request.headers.authorization ?? "", `Bearer ${secret}`)) {
        return reply(response, 401, {
          error: { code: "unauthenticated", message: "The secret is missing or wrong." },
        });
      }
      const parsed = ReplicaRequest.safeParse(await readBody(request));
      if (!parsed.success) {
        return reply(response, 400, {
          error: { code: "invalid_input", message: "Unknown replica request." },
        });
      }
      reply(response, 200, { result: await handle(parsed.data) });
    } catch (error) {
      if (error instanceof NotHolder) return reply(response, 409, {});
      if (isDomainError(error)) {
        const { code, message } = error;
        return reply(response, 422, { error: { code, message } });
      }
      log.error({ err: error }, "Request of another gateway failed");
      reply(response, 500, { error: { code: "internal", message: "Something went wrong on our side." } });
    }
  };

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Undefined when it is no JSON, or too long: replicas name the length, and Node reads no more than that. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const bytes = Number(request.headers["content-length"]);
  if (request.method !== "POST" || !(bytes <= MAX_REQUEST_BYTES)) return undefined;
  return json(request).catch(() => undefined);
}
