import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type DomainError, isDomainError } from "../../domain/errors";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Logger } from "../../platform/process/log";
import { Message, NotHolder } from "./messages";

/** Larger than any plan that a vehicle takes. */
const MAX_MESSAGE_BYTES = 8 * 1_048_576;

/** Answers a message of another replica; rejects with `NotHolder`, or as a link does. */
export type AnswerMessage = (message: Message) => Promise<unknown>;

/** Serves `POST /` to the other replicas, who show the secret: `{result}`, or `{error: {code, message}}`. */
export function peerListener(secret: string, answer: AnswerMessage, log: Logger): RequestListener {
  return (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error }, "a question of another replica failed");
      reply(response, 500, { error: { code: "internal", message: "Something went wrong on our side." } });
    });
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!constantTimeEqual(request.headers.authorization ?? "", `Bearer ${secret}`)) {
      return reply(response, 401, { error: { code: "unauthenticated", message: "Show the secret." } });
    }
    const body = request.method === "POST" ? await readBody(request) : undefined;
    const message = Message.safeParse(parseJson(body));
    if (!message.success) {
      return reply(response, 400, { error: { code: "invalid_input", message: "No message of ours." } });
    }
    try {
      reply(response, 200, { result: await answer(message.data) });
    } catch (error) {
      if (error instanceof NotHolder) return reply(response, 409, {});
      if (isDomainError(error)) return reply(response, 422, { error: told(error) });
      throw error;
    }
  }
}

const told = ({ code, message }: DomainError) => ({ code, message });

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Undefined when it is too long; then the rest is not read either. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_BYTES) return undefined;
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
