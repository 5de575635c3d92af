import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** Hop-by-hop headers. The forwarded message gets its own length header. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "content-length",
  "upgrade",
  "expect",
  "http2-settings",
]);

/** A message's headers without those of the connection, and those that `Connection` names. */
export function endToEnd(
  headers: IncomingHttpHeaders,
  keep: (name: string) => boolean = () => true,
): OutgoingHttpHeaders {
  const nominated = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !nominated.has(name) && keep(name)),
  );
}

/**
 * The framing of a message by its headers: nothing, one length, or chunks. Undefined for anything else, such as both,
 * which two readers might read differently.
 */
export function framing(headers: IncomingHttpHeaders): OutgoingHttpHeaders | undefined {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if (encoding !== undefined) {
    const isPlain = encoding.toLowerCase() === "chunked" && length === undefined;
    return isPlain ? { "transfer-encoding": "chunked" } : undefined;
  }
  return length === undefined ? {} : { "content-length": length };
}
