import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { hostOf } from "../process/open-port";

/**
 * Limit of one attempt to connect. The system repeats a lost SYN after a second. A longer attempt would wait for a machine
 * that is gone while another one serves in its place.
 */
export const CONNECT_MS = 2_000;

/** `["PUBLISH", "a"]` → `*2\r\n$7\r\nPUBLISH\r\n$1\r\na\r\n`. */
export const encodeCommand = (...words: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`*${words.length}\r\n`),
    ...words.flatMap((word) => {
      const bytes = typeof word === "string" ? Buffer.from(word) : word;
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")];
    }),
  ]);

/** All of a PUBLISH but its payload: `…$`, after which come the length, CRLF, the payload and CRLF. */
export const publishTo = (channel: string): Buffer =>
  Buffer.from(`*3\r\n$7\r\nPUBLISH\r\n$${Buffer.byteLength(channel)}\r\n${channel}\r\n$`);

/**
 * A connection to Redis (`redis://` or `rediss://`) that has signed in with user and password of the URL. Rejects with
 * Redis's error message, or the socket's error.
 */
export function connectRedis(url: string, timeoutMs = CONNECT_MS): Promise<Socket> {
  const server = new URL(url);
  const { protocol, port, username, password } = server;
  const to = { host: hostOf(server), port: Number(port || 6379) };
  const socket = protocol === "rediss:" ? connectTls({ ...to, servername: to.host }) : connectTcp(to);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 10_000);
  const secret = password ? [decodeURIComponent(password)] : [];
  const login = username && password ? [decodeURIComponent(username), ...secret] : secret;
  return new Promise((resolve, reject) => {
    let reply = "";
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error("Redis did not answer in time.")), timeoutMs);
    const onData = (chunk: Buffer) => {
      reply += chunk.toString("latin1");
      if (!reply.endsWith("\r\n")) return;
      const refused = reply.split("\r\n").find((line) => line.startsWith("-"));
      if (refused) return fail(new Error(`Redis refuses: ${refused.slice(1)}`));
      if (!reply.endsWith("+PONG\r\n")) return;
      clearTimeout(timer);
      socket.off("data", onData).off("error", fail).off("close", ended);
      resolve(socket);
    };
    const ended = () => fail(new Error("Redis closed the connection."));
    socket.on("data", onData).on("error", fail).on("close", ended);
    socket.once("close", () => clearTimeout(timer));
    if (login.length > 0) socket.write(encodeCommand("AUTH", ...login));
    socket.write(encodeCommand("PING"));
  });
}
