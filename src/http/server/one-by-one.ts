import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection whose replies are still to be sent: whoever sends more has not read them. No browser does. */
const MAX_PIPELINED = 8;

/**
 * A server that begins a connection's next request when the one before is answered. Replies go in that order anyhow (RFC
 * 9112, 9.3.2); of requests that were begun together each would hold what it needs, the later ones would not hear that
 * their caller left, and orders might overtake one another.
 */
export class OneByOneServer<Reply extends typeof ServerResponse<IncomingMessage>> extends Server<
  typeof IncomingMessage,
  Reply
> {
  /** What waits behind the request that is worked on, by connection. */
  private readonly waiting = new WeakMap<Socket, (() => void)[]>();

  override emit(event: string, ...given: unknown[]): boolean {
    if (event === "upgrade") return this.upgrade(given);
    if (event !== "request") return super.emit(event, ...given);
    const [{ socket }, reply] = given as [IncomingMessage, ServerResponse];
    const begin = () => {
      reply.once("close", () => this.beginNext(socket));
      super.emit(event, ...given);
    };
    const behind = this.waiting.get(socket);
    if (!behind) {
      this.waiting.set(socket, []);
      begin();
    } else if (behind.length + 1 < MAX_PIPELINED) behind.push(begin);
    // What comes after it was read already.
    else socket.destroy();
    return true;
  }

  /** What is still to be answered would go into what the connection becomes. */
  private upgrade(given: unknown[]): boolean {
    const [{ socket }] = given as [IncomingMessage];
    if (!this.waiting.has(socket)) return super.emit("upgrade", ...given);
    socket.destroy();
    return true;
  }

  private beginNext(socket: Socket): void {
    const next = socket.writable ? this.waiting.get(socket)?.shift() : undefined;
    if (next) next();
    else this.waiting.delete(socket);
  }
}
