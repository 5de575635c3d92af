import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listen and return `http://host:port`. Rejects with one line that names address and reason. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Error(`Cannot listen on ${host}:${port} (${error.code}).`, { cause: error })),
    );
    server.listen(port, host, () => resolve(`http://${host}:${(server.address() as AddressInfo).port}`));
  });
}

/** Take nothing new, let open requests finish, close idle connections at once. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
