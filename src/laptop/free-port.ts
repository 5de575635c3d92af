import { createServer } from "node:net";

/** A TCP port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = await listenOn(0);
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The probe has no TCP port.");
  return address.port;
}

/** Throws, naming the port and who wanted it, when somebody already listens there. */
export async function assertPortIsFree(port: number, wantedBy: string): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`The port for ${wantedBy} must be a number from 1 to 65535.`);
  }
  try {
    const probe = await listenOn(port);
    await new Promise((resolve) => probe.close(resolve));
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
