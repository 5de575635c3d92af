import { createHash, timingSafeEqual } from "node:crypto";

/** Compares secrets by their digests, which have one length, so that the time taken tells a caller nothing. */
export function constantTimeEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Whether an Authorization header carries this bearer secret. */
export function hasSecretToken(authorization: string | undefined, secret: string): boolean {
  const [, given = ""] = /^Bearer (.+)$/i.exec(authorization ?? "") ?? [];
  return constantTimeEqual(given, secret);
}
