import { type ErrorReply, forward, type HttpProxy, type Upstream } from "./forward";
import { endToEnd } from "./headers";

const methods = new Set(["GET", "HEAD", "PUT"]);
/** What makes a URL a presigned one (AWS Signature Version 4), each once. */
const signature = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-SignedHeaders",
  "X-Amz-Signature",
];

/**
 * Forwards a drone's presigned requests to the object store, which checks the signature. The Host stays, for it is
 * signed. No header that could widen what was signed goes with the request. `closedBucket` holds the client configs.
 */
export const objectsProxy = (upstream: Upstream, closedBucket: string): HttpProxy => ({
  forward(request, reply) {
    const fail = (error: ErrorReply) => this.fail(request, reply, error);
    const { method = "", headers, url = "" } = request;
    if (!methods.has(method)) {
      fail({ status: 405, message: "Only GET, HEAD and PUT are served here." });
      return;
    }
    const signed = url.startsWith("/") ? signedHeaders(url) : undefined;
    if (!signed) {
      fail({ status: 403, message: "Only presigned URLs are served here." });
      return;
    }
    if (namesBucket(url, headers.host ?? "", closedBucket)) {
      fail({ status: 403, message: "This bucket is not for drones." });
      return;
    }
    const kept = endToEnd(headers, (name) => mayForward(name, signed));
    forward(request, reply, { upstream, headers: kept, fail });
  },

  /** In the store's own format. */
  fail(_request, reply, { status, message }) {
    reply.writeHead(status, { "Content-Type": "application/xml", Connection: "close" });
    reply.end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>Edge${status}</Code><Message>${message}</Message></Error>`,
    );
  },
});

/** Names of the headers that the URL's signature covers; undefined when it is not presigned. */
function signedHeaders(url: string): ReadonlySet<string> | undefined {
  const { searchParams } = new URL(`http://edge${url}`);
  if (!signature.every((name) => searchParams.getAll(name).filter(Boolean).length === 1)) return undefined;
  return new Set(searchParams.get("X-Amz-SignedHeaders")?.toLowerCase().split(";"));
}

/** A header of the store's own (a copy's source, an access list) goes only when it was signed. */
const mayForward = (name: string, signed: ReadonlySet<string>): boolean =>
  name.startsWith("x-amz-") ? signed.has(name) : name !== "authorization" && name !== "cookie";

function namesBucket(url: string, host: string, bucket: string): boolean {
  const [first] = decoded(url.split("?")[0] ?? "")
    .split(/[/\\]+/)
    .filter(Boolean);
  return first === bucket || host.toLowerCase().startsWith(`${bucket}.`);
}

/** Without dot segments, in whichever way they are written. */
function decoded(path: string): string {
  try {
    return new URL(`http://edge${decodeURIComponent(path)}`).pathname;
  } catch {
    return path;
  }
}
