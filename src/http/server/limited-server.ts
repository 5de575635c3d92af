import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import proxyaddr from "proxy-addr";
import { Counter, type Registry } from "../../platform/process/metrics";
import { networkOf } from "./network-of";
import { OneByOneServer } from "./one-by-one";
import { Request } from "./request";

export interface ServerLimits {
  /** A connection that has not sent a request's headers for so long is closed. */
  readonly headersSeconds: number;
  /** A request that has not come whole for so long is closed; 0 lets one take its time. */
  readonly requestSeconds: number;
  /** A reply of which nobody has taken a byte for so long, and for as long again at most, is ended. */
  readonly replyStallSeconds?: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveSeconds?: number;
  /** Further ones are turned away unheard. */
  readonly maxConnections: number;
  /** Of one address; further ones of it are turned away unheard. None are with 0. */
  readonly maxConnectionsPerAddress: number;
  /** Addresses that stand for many, such as a proxy's: theirs are not counted by address. */
  readonly isShared?: (address: string) => boolean;
  /** Told of each connection that is turned away. */
  readonly onTurnedAway?: (why: TurnedAway) => void;
  /** Told of each reply that is ended because nobody takes it. */
  readonly onStalled?: () => void;
}

/** `full`: of the server. `address_full`: of the address that it came from. */
export type TurnedAway = "full" | "address_full";

/** How late a connection past its time may be noticed. */
const CHECK_MS = 2_000;
/** Of a request's line and headers together. */
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

/** An HTTP server that nobody holds up by talking slowly, or not at all, or by coming too often at once. */
export function limitedServer(listener: RequestListener, limits: ServerLimits): Server {
  const { headersSeconds, requestSeconds, maxConnections, onTurnedAway } = limits;
  const server = new OneByOneServer(
    {
      IncomingMessage: Request,
      ServerResponse: repliesThatEnd(limits),
      headersTimeout: headersSeconds * 1000,
      requestTimeout: requestSeconds && Math.max(requestSeconds, headersSeconds) * 1000,
      keepAliveTimeout: (limits.keepAliveSeconds ?? KEEP_ALIVE_SECONDS) * 1000,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    listener,
  );
  server.maxConnections = maxConnections;
  server.on("drop", () => onTurnedAway?.("full"));
  if (limits.maxConnectionsPerAddress > 0) countByAddress(server, limits);
  return server;
}

/**
 * Replies that end their connection when nobody reads them. Only time in which bytes wait for their reader counts, not a
 * handler's, and only while none of them goes: what comes in meanwhile is no sign of a reader. Socket.IO's are among
 * them; a WebSocket is no reply.
 */
function repliesThatEnd({ replyStallSeconds = REPLY_STALL_SECONDS, onStalled }: ServerLimits) {
  return class extends ServerResponse {
    constructor(...given: ConstructorParameters<typeof ServerResponse<IncomingMessage>>) {
      super(...given);
      // Ours and, of a streamed body, Koa's: Node would call more than ten a leak.
      this.setMaxListeners(20);
      const { socket } = given[0];
      let sentBefore: number | undefined;
      const looking = setInterval(() => {
        if (socket.destroyed) {
          // A reply whose turn had not come is told nothing of its connection's end.
          clearInterval(looking);
          return;
        }
        const sent = socket.writableLength > 0 ? bytesSent(socket) : undefined;
        if (sent === undefined || sent !== sentBefore) {
          sentBefore = sent;
          return;
        }
        onStalled?.();
        socket.destroy();
      }, replyStallSeconds * 1000).unref();
      this.once("close", () => clearInterval(looking));
    }
  };
}

/**
 * What the system has taken of a connection's bytes. Node tells only what it has handed over, `bytesWritten`, and what
 * of it the system has yet to take on the connection's handle, where its own timer looks, too.
 */
function bytesSent(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  return isHandle(handle) ? handle.bytesWritten - handle.writeQueueSize : undefined;
}

const isHandle = (handle: unknown): handle is { bytesWritten: number; writeQueueSize: number } =>
  typeof handle === "object" && handle !== null && "bytesWritten" in handle && "writeQueueSize" in handle;

function countByAddress(server: Server, limits: ServerLimits): void {
  const { maxConnectionsPerAddress, isShared, onTurnedAway } = limits;
  const counts = new Map<string, number>();
  // Before the server's own listener, which would begin to read.
  server.prependListener("connection", (socket) => {
    // Gone already.
    if (socket.remoteAddress === undefined) return;
    if (isShared?.(socket.remoteAddress)) return;
    const network = networkOf(socket.remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= maxConnectionsPerAddress) {
      onTurnedAway?.("address_full");
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

/** How a process that clients call is told its limits; the variables' descriptions are in `platform/config`. */
export interface HttpLimits {
  readonly HTTP_HEADERS_SECONDS: number;
  readonly HTTP_REQUEST_SECONDS: number;
  readonly HTTP_REPLY_STALL_SECONDS: number;
  readonly HTTP_MAX_CONNECTIONS: number;
  readonly HTTP_MAX_CONNECTIONS_PER_ADDRESS: number;
  readonly TRUSTED_PROXIES: readonly string[];
}

/** The limits of a process's public ports; whom it turns away is counted. */
export function publicLimits(config: HttpLimits, registry: Registry): ServerLimits {
  const trust = proxyaddr.compile([...config.TRUSTED_PROXIES]);
  return {
    headersSeconds: config.HTTP_HEADERS_SECONDS,
    requestSeconds: config.HTTP_REQUEST_SECONDS,
    replyStallSeconds: config.HTTP_REPLY_STALL_SECONDS,
    keepAliveSeconds: PROXY_KEEP_ALIVE_SECONDS,
    maxConnections: config.HTTP_MAX_CONNECTIONS,
    maxConnectionsPerAddress: config.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
    isShared: (address) => trust(address, 0),
    onTurnedAway: countTurnedAway(registry),
    onStalled: countStalled(registry),
  };
}

function countStalled(registry: Registry): () => void {
  const counter = new Counter({
    name: "fleet_http_stalled_replies_total",
    help: "Replies that were ended because nobody took a byte of them for HTTP_REPLY_STALL_SECONDS.",
    registers: [registry],
  });
  return () => counter.inc();
}

/** Once a process. */
export function countTurnedAway(registry: Registry): (why: TurnedAway) => void {
  const counter = new Counter({
    name: "fleet_http_connections_turned_away_total",
    help: "Connections turned away unheard: the port has as many as it may, or the address they came from has.",
    labelNames: ["reason"],
    registers: [registry],
  });
  for (const reason of ["full", "address_full"]) counter.inc({ reason }, 0);
  return (reason) => counter.inc({ reason });
}
