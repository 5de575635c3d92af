import { createHash } from "node:crypto";
import type { Context } from "koa";

/** The ETag of a reply with this content. */
export const etagOf = (content: string | Buffer): string =>
  `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;

/**
 * The request's condition on what it changes: whether that is still what the caller read, by its ETag. Undefined without
 * `If-Match`. A proxy that compresses a reply makes its ETag a weak one.
 */
export function ifMatch(ctx: Pick<Context, "get">): ((content: string) => boolean) | undefined {
  const header = ctx.get("If-Match");
  if (!header) return undefined;
  const tags = new Set(header.split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  return (content) => tags.has("*") || tags.has(etagOf(content));
}
