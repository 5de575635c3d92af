import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Whether what a caller gave is the secret. Digests have one length, so that the comparison takes the same time
 * whatever was sent.
 */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
