import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { plainSecurityHeaders } from "../security-headers";

/** A client that stays connected after the refusal is disconnected: the server's timeouts no longer apply. */
const CLOSE_AFTER_MS = 1_000;

/** Refuses an upgrade with this status and JSON body, and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, body: object): void {
  const text = JSON.stringify(body);
  const headers = {
    Connection: "close",
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...plainSecurityHeaders,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const limit = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
  socket.once("close", () => clearTimeout(limit));
  // Unread input would make the system reset the connection before the reply is sent.
  socket.resume();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
}
