import type { IncomingMessage } from "node:http";
import { DomainError } from "../domain/errors";

/** A request's body as it came. Rejects with `body_too_large` once it is longer than the limit, and with `malformed_body` when the caller left. */
export async function readRawBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += chunk.length;
      // The rest is read and dropped, so that the caller gets to see the answer.
      if (length <= limitBytes) chunks.push(chunk);
    }
  } catch (cause) {
    throw new DomainError("malformed_body", "The request body did not come whole.", { cause });
  }
  if (length > limitBytes) throw new DomainError("body_too_large", "The request body is too large.");
  return Buffer.concat(chunks);
}
