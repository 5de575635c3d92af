import { execSync } from "node:child_process";
import { randomBytes } from "node:crypto";
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

/** Connects from this address of loopback, and writes `first`. */
export async function rawCaller(port: number, first = "", from?: string): Promise<RawCaller> {
  // An address that is asked for costs the system as much again as the connection.
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
  return { socket, heard: () => Buffer.concat(chunks).toString("latin1"), closed };
}

/** So many at once, a few hundred at a time: a listener's queue is short. */
export async function many<T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const from = made.length;
    const some = Array.from({ length: Math.min(200, count - from) }, (_, at) => make(from + at));
    made.push(...(await Promise.all(some)));
  }
  return made;
}

/** So many, or as many as this machine lets a process have open beside what else a test needs. */
export function mostSockets(wanted: number): number {
  const allowed = Number(execSync("ulimit -n", { encoding: "utf8" }));
  return Math.min(wanted, Number.isNaN(allowed) ? wanted : allowed - 1_500);
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

/** An upgrade to WebSocket as a browser asks for it, up to its end. */
export const upgradeTo = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n${more}\r\n`;

export interface RawFrame {
  /** FIN, the reserved bits and the opcode: 0x81 is a whole text. */
  readonly first: number;
  readonly payload: Buffer;
  readonly masked?: boolean;
  /** What the frame says of its payload's length, where that is a lie. */
  readonly length?: bigint;
}

/** A WebSocket frame, right or wrong. */
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
