import type { IncomingMessage, ServerResponse } from "node:http";
import { type Fault, forward, type Upstream } from "./forward";
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

export interface ObjectsOptions {
  readonly upstream: Upstream;
  /** Of client configs, which no drone has a business with here. */
  readonly closedBucket: string;
}

/**
 * Forwards a drone's presigned requests to the object store, which judges the signature. The Host stays, for it is
 * signed. Nothing goes with the request that could widen what was signed.
 */
export function objectsDoor({ upstream, closedBucket }: ObjectsOptions) {
  return (request: IncomingMessage, reply: ServerResponse): void => {
    const fail = (fault: Fault) => answer(reply, fault);
    const { method = "", headers, url = "" } = request;
    if (!methods.has(method)) {
      fail({ status: 405, message: "Objects are put and got here, and nothing else." });
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
    const kept = endToEnd(headers, (name) => mayGo(name, signed));
    forward(request, reply, { upstream, headers: kept, fail });
  };
}

/** Names of the headers that the URL's signature covers; undefined when it is not presigned. */
function signedHeaders(url: string): ReadonlySet<string> | undefined {
  const { searchParams } = new URL(`http://edge${url}`);
  if (!signature.every((name) => searchParams.getAll(name).filter(Boolean).length === 1)) return undefined;
  return new Set(searchParams.get("X-Amz-SignedHeaders")?.toLowerCase().split(";"));
}

/** A header of the store's own (a copy's source, an access list) goes when it was signed. */
const mayGo = (name: string, signed: ReadonlySet<string>): boolean =>
  name.startsWith("x-amz-") ? signed.has(name) : name !== "authorization" && name !== "cookie";

function namesBucket(url: string, host: string, bucket: string): boolean {
  const [first] = decoded(url.split("?")[0] ?? "")
    .split(/[/\\]+/)
    .filter(Boolean);
  return first === bucket || host.toLowerCase().startsWith(`${bucket}.`);
}

/** Without dots to climb by, in whichever way they are written. */
function decoded(path: string): string {
  try {
    return new URL(`http://edge${decodeURIComponent(path)}`).pathname;
  } catch {
    return path;
  }
}

/** As the store itself says what is wrong. */
export function answer(reply: ServerResponse, { status, message }: Fault): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>Edge${status}</Code><Message>${message}</Message></Error>`;
  reply.writeHead(status, {
    "Content-Type": "application/xml",
    "Content-Length": Buffer.byteLength(text),
    Connection: "close",
  });
  reply.end(text);
}
