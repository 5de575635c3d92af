import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { plainProtection } from "../protective-headers";

/** A caller that does not hang up after its refusal is cut after this long: no timeout of the server holds any more. */
const GOODBYE_MS = 1_000;

/** Answers an upgrade that is none with this status and JSON body, and closes. */
export function refuseUpgrade(socket: Duplex, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = {
    Connection: "close",
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...plainProtection,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const limit = setTimeout(() => socket.destroy(), GOODBYE_MS);
  socket.once("close", () => clearTimeout(limit));
  // Closed with something unread, the system would cut the connection, and the answer with it.
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
}
