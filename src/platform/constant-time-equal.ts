import { createHash, timingSafeEqual } from "node:crypto";

/** Compares secrets by their digests, which have one length, so that the time taken tells a caller nothing. */
export function constantTimeEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
