import { createServer, type RequestListener, type Server } from "node:http";
import proxyaddr from "proxy-addr";
import { Counter, type Registry } from "../../platform/process/metrics";
import { networkOf } from "./network-of";
import { closePipelinedReplies } from "./pipelined-replies";
import { Request } from "./request";
import { closeSlowReaders } from "./slow-readers";

export interface ServerLimits {
  /** A connection that has not sent its request's headers after so long is closed. */
  readonly headersSeconds: number;
  /** A connection whose request is not complete after so long is closed; 0 turns this off. */
  readonly requestSeconds: number;
  /** A connection whose reply makes no progress for so long is closed. */
  readonly replyStallSeconds?: number;
  /** How long an idle connection is kept. */
  readonly keepAliveSeconds?: number;
  /** Further ones are closed at once. */
  readonly maxConnections: number;
  /** Connections of one address; further ones are closed at once. 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Whether many clients share the address, such as a proxy's: these are not counted by address. */
  readonly isShared?: (address: string) => boolean;
  readonly onRejected?: (reason: RejectionReason) => void;
  /** Called for each connection that is closed because its client does not read. */
  readonly onStalled?: () => void;
}

/** `full`: the server has `maxConnections`. `address_full`: the client's address has `maxConnectionsPerAddress`. */
export type RejectionReason = "full" | "address_full";

/** How often Node looks for connections past their timeouts. */
const CHECK_MS = 2_000;
/** Request line and headers together. */
const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_SECONDS = 5;
const REPLY_STALL_SECONDS = 30;
/**
 * On ports behind a proxy: longer than nginx and Amazon's balancers keep a connection for their next request (60 s), so
 * that it is never closed here while one of theirs is on its way, which they would answer with 502.
 */
const PROXY_KEEP_ALIVE_SECONDS = 75;

/** For ports that only parts of the same deployment call: a few of them, and at once. */
export const INTERNAL_LIMITS: ServerLimits = {
  headersSeconds: 10,
  requestSeconds: 30,
  maxConnections: 2_000,
  maxConnectionsPerAddress: 500,
};

/** An HTTP server with timeouts and connection limits against slow and hostile clients. */
export function limitedServer(listener: RequestListener, limits: ServerLimits): Server {
  const { headersSeconds, requestSeconds, maxConnections, onRejected } = limits;
  const server = createServer(
    {
      IncomingMessage: Request,
      headersTimeout: headersSeconds * 1000,
      requestTimeout: requestSeconds && Math.max(requestSeconds, headersSeconds) * 1000,
      keepAliveTimeout: (limits.keepAliveSeconds ?? KEEP_ALIVE_SECONDS) * 1000,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    listener,
  );
  const { replyStallSeconds: stallSeconds = REPLY_STALL_SECONDS, onStalled } = limits;
  closePipelinedReplies(server);
  closeSlowReaders(server, { stallSeconds, onClosed: onStalled });
  server.maxConnections = maxConnections;
  server.on("drop", () => onRejected?.("full"));
  if (limits.maxConnectionsPerAddress > 0) countByAddress(server, limits);
  return server;
}

function countByAddress(server: Server, limits: ServerLimits): void {
  const { maxConnectionsPerAddress, isShared, onRejected } = limits;
  const counts = new Map<string, number>();
  // Before Node's own listener, which starts reading.
  server.prependListener("connection", (socket) => {
    // The client has disconnected already.
    if (socket.remoteAddress === undefined) return;
    if (isShared?.(socket.remoteAddress)) return;
    const network = networkOf(socket.remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= maxConnectionsPerAddress) {
      onRejected?.("address_full");
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once("close", () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
  });
}

/** The variables that set these limits; `platform/config` describes them. */
interface HttpLimits {
  readonly HTTP_REQUEST_SECONDS: number;
  readonly HTTP_MAX_CONNECTIONS: number;
  readonly HTTP_MAX_CONNECTIONS_PER_ADDRESS: number;
  readonly TRUSTED_PROXIES: readonly string[];
}

/** Seconds for the headers of a request: enough for any client; one that sends a byte at a time holds a connection. */
export const headersSeconds = ({ HTTP_REQUEST_SECONDS }: Pick<HttpLimits, "HTTP_REQUEST_SECONDS">): number =>
  Math.min(20, HTTP_REQUEST_SECONDS);

/** The limits of a process's public ports. Rejected connections and stalled replies are counted. */
export function publicLimits(config: HttpLimits, registry: Registry): ServerLimits {
  const trust = proxyaddr.compile([...config.TRUSTED_PROXIES]);
  return {
    headersSeconds: headersSeconds(config),
    requestSeconds: config.HTTP_REQUEST_SECONDS,
    keepAliveSeconds: PROXY_KEEP_ALIVE_SECONDS,
    maxConnections: config.HTTP_MAX_CONNECTIONS,
    maxConnectionsPerAddress: config.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
    isShared: (address) => trust(address, 0),
    onRejected: countRejectedConnections(registry),
    onStalled: countStalled(registry),
  };
}

function countStalled(registry: Registry): () => void {
  const counter = new Counter({
    name: "fleet_http_stalled_replies_total",
    help: "Connections closed because the client did not read its reply for 30 s, or too much was unread.",
    registers: [registry],
  });
  return () => counter.inc();
}

/** Call once a process: it registers the metric. */
export function countRejectedConnections(registry: Registry): (reason: RejectionReason) => void {
  const counter = new Counter({
    name: "fleet_http_connections_rejected_total",
    help: "Connections closed at once because the port (full) or the client's address (address_full) has too many.",
    labelNames: ["reason"],
    registers: [registry],
  });
  for (const reason of ["full", "address_full"]) counter.inc({ reason }, 0);
  return (reason) => counter.inc({ reason });
}
