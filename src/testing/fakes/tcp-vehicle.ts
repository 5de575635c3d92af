import { spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { atEndOfFile } from "../clean-up";

/** Loopback addresses stand in for drones: each is a vehicle of its own. */
export interface TcpVehicle {
  readonly host: string;
  readonly port: number;
  readonly sockets: Set<Socket>;
  /** Every byte that came, of all connections, in order. */
  received(): string;
}

export async function tcpVehicle(
  host: string,
  onSocket: (socket: Socket) => void = () => {},
): Promise<TcpVehicle> {
  const sockets = new Set<Socket>();
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onSocket(socket);
    if (!socket.isPaused()) socket.on("data", (chunk) => chunks.push(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  atEndOfFile(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { host, port, sockets, received: () => Buffer.concat(chunks).toString() };
}

/** A process that was stopped after it began to listen, and whose queue of connections is full. */
export async function unresponsiveVehicle(host: string): Promise<Pick<TcpVehicle, "host" | "port">> {
  const program = `require("net").createServer().listen({port: 0, host: "${host}", backlog: 1}, function () {
    console.log(this.address().port);
  })`;
  const child = spawn(process.execPath, ["-e", program]);
  atEndOfFile(async () => void child.kill("SIGKILL"));
  const port = Number(await new Promise((resolve) => child.stdout.once("data", resolve)));
  child.kill("SIGSTOP");
  for (let at = 0; at < 4; at++) {
    const filler = connect(port, host);
    filler.on("error", () => {});
    atEndOfFile(async () => void filler.destroy());
  }
  await delay(100);
  return { host, port };
}

let hosts = 1;
/** An address of loopback that no other vehicle of the file has. */
export const nextHost = () => `127.0.7.${hosts++}`;
