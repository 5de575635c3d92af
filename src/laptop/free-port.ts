import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/** Below the ephemeral ports: an outgoing connection could take one of those before the server starts. */
const PORTS = { from: 20_000, to: 30_000 };

/** A TCP port of 127.0.0.1 without a listener. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.to);
  try {
    await close(await listenOn(port));
    return port;
  } catch {
    return freePort();
  }
}

/** Throws an error with the port and its intended user when the port is taken. */
export async function assertPortIsFree(port: number, wantedBy: string): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`The port for ${wantedBy} must be a number from 1 to 65535.`);
  }
  try {
    await close(await listenOn(port));
  } catch (cause) {
    throw new Error(`Port ${port}, which ${wantedBy} needs, is taken by another program.`, { cause });
  }
}

function listenOn(port: number) {
  const server = createServer();
  return new Promise<typeof server>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}

const close = (server: Server) => new Promise((resolve) => server.close(resolve));
