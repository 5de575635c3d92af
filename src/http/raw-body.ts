import type { IncomingMessage } from "node:http";
import { DomainError } from "../domain/errors";

/** Told how many bytes of memory a body is about to take; throws where they may not be held. */
export type Hold = (bytes: number) => void;

/** Room for most bodies. */
const FIRST_BYTES = 4_096;

/**
 * A request's body as it came. Rejects with `body_too_large` once it is longer than the limit, with `malformed_body` when
 * the caller left, and as `hold` throws. It is copied together as it comes: a megabyte in pieces of a byte each would
 * take a hundred.
 */
export async function readRawBody(
  request: IncomingMessage,
  limitBytes: number,
  hold: Hold = () => {},
): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  let refusal: unknown;
  try {
    for await (const chunk of request) {
      // The rest is read and dropped, so that the caller gets to see the answer.
      if (refusal) continue;
      try {
        bytes = withRoomFor(length + chunk.length, bytes, limitBytes, hold);
        length += chunk.copy(bytes, length);
      } catch (thrown) {
        refusal = thrown;
        bytes = Buffer.alloc(0);
      }
    }
  } catch (cause) {
    throw new DomainError("malformed_body", "The request body did not come whole.", { cause });
  }
  if (refusal) throw refusal;
  return bytes.subarray(0, length);
}

/** Twice as large where it has to grow, so that little is copied. */
function withRoomFor(length: number, bytes: Buffer, limitBytes: number, hold: Hold): Buffer {
  if (length > limitBytes) throw new DomainError("body_too_large", "The request body is too large.");
  if (length <= bytes.length) return bytes;
  const size = Math.min(Math.max(length, 2 * bytes.length, FIRST_BYTES), limitBytes);
  hold(size);
  const larger = Buffer.alloc(size);
  bytes.copy(larger);
  return larger;
}
