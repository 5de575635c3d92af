import { createServer, type RequestListener, type Server } from "node:http";

export interface ServerLimits {
  /** A connection that has not sent a request's headers for so long is closed. */
  readonly headersSeconds: number;
  /** A request that has not come whole for so long is closed. */
  readonly requestSeconds: number;
  /** Further ones are turned away unheard. */
  readonly maxConnections: number;
}

/** How late a connection past its time may be noticed. */
const CHECK_MS = 2_000;

/** An HTTP server that nobody holds up by talking slowly, or not at all. */
export function limitedServer(listener: RequestListener, limits: ServerLimits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersSeconds * 1000,
      requestTimeout: Math.max(limits.requestSeconds, limits.headersSeconds) * 1000,
      connectionsCheckingInterval: CHECK_MS,
    },
    listener,
  );
  server.maxConnections = limits.maxConnections;
  return server;
}
