import { execSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { atEndOfFile } from "./clean-up";

/** A TCP client that writes raw bytes, valid HTTP or not. */
export interface RawClient {
  readonly socket: Socket;
  /** All received bytes, as Latin-1. */
  received(): string;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** Connects from this address of loopback, and writes `first`. */
export async function rawClient(port: number, first = "", from?: string): Promise<RawClient> {
  // A given local address costs the kernel as much again as the connection.
  const socket = connect({ port, host: "127.0.0.1", ...(from && { localAddress: from }) });
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
  return { socket, received: () => Buffer.concat(chunks).toString("latin1"), closed };
}

/** Creates `count` in batches of 200, because a listener's backlog is short. */
export async function createInBatches<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const from = made.length;
    const some = Array.from({ length: Math.min(200, count - from) }, (_, at) => make(from + at));
    made.push(...(await Promise.all(some)));
  }
  return made;
}

/** The smaller of `wanted` and this process's limit of open files, less 1,500 for the rest of the test. */
export function withinFileLimit(wanted: number): number {
  const allowed = Number(execSync("ulimit -n", { encoding: "utf8" }));
  return Math.min(wanted, Number.isNaN(allowed) ? wanted : allowed - 1_500);
}

/** The statuses of all replies to these bytes, until the connection is closed or idle for `idleMs`. */
export async function rawStatuses(port: number, bytes: string | Buffer, idleMs = 1_000): Promise<number[]> {
  const caller = await rawClient(port);
  caller.socket.write(bytes);
  await Promise.race([
    caller.closed,
    new Promise<void>((resolve) => caller.socket.setTimeout(idleMs, resolve)),
  ]);
  caller.socket.destroy();
  return [...caller.received().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

/** A browser's request for an upgrade to WebSocket, without a body. */
export const upgradeRequest = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n${more}\r\n`;

interface RawFrame {
  /** FIN, the reserved bits and the opcode: 0x81 is an unfragmented text frame. */
  readonly first: number;
  readonly payload: Buffer;
  readonly masked?: boolean;
  /** The length in the header, when it differs from the payload's. */
  readonly length?: bigint;
}

/** A WebSocket frame, valid or not. */
export function rawFrame({ first, payload, masked = true, length }: RawFrame): Buffer {
  const said = length ?? BigInt(payload.length);
  const size = said < 126n ? Buffer.from([Number(said)]) : Buffer.alloc(said < 65_536n ? 3 : 9);
  if (size.length === 3) {
    size[0] = 126;
    size.writeUInt16BE(Number(said), 1);
  } else if (size.length === 9) {
    size[0] = 127;
    size.writeBigUInt64BE(said, 1);
  }
  if (!masked) return Buffer.concat([Buffer.from([first]), size, payload]);
  size[0] = (size[0] as number) | 0x80;
  const mask = randomBytes(4);
  const hidden = payload.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([Buffer.from([first]), size, mask, hidden]);
}
