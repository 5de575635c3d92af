import { connect, type Socket } from "node:net";
import { atEndOfFile } from "./clean-up";

/** A caller that writes its own bytes, right or wrong. */
export interface RawCaller {
  readonly socket: Socket;
  /** All that came back. */
  heard(): string;
  /** Resolves when the other side has hung up. */
  readonly closed: Promise<void>;
}

export async function rawCaller(port: number, first = ""): Promise<RawCaller> {
  const socket = connect({ port, host: "127.0.0.1" });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  atEndOfFile(async () => void socket.destroy());
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", () => resolve());
  });
  if (first) socket.write(first);
  return { socket, heard: () => Buffer.concat(chunks).toString("latin1"), closed };
}

/** The statuses of all replies to these bytes, until the other side hangs up or is silent for a while. */
export async function rawStatuses(
  port: number,
  bytes: string | Buffer,
  silenceMs = 1_000,
): Promise<number[]> {
  const caller = await rawCaller(port);
  caller.socket.write(bytes);
  await Promise.race([
    caller.closed,
    new Promise<void>((resolve) => caller.socket.setTimeout(silenceMs, resolve)),
  ]);
  caller.socket.destroy();
  return [...caller.heard().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
