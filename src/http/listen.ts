import type { Server } from "node:http";
import { openPort } from "../platform/open-port";

/** Listen, as `openPort` does, and return `http://host:port`. */
export const listen = async (server: Server, port: number, host: string): Promise<string> =>
  `http://${await openPort(server, port, host)}`;

/** Take nothing new, let open requests finish, close idle connections at once. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
