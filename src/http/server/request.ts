import { IncomingMessage } from "node:http";

/** Chunks that a body may come in, beside one for each 64 bytes: each takes memory of its own until the body is read. */
const MAX_SMALL_CHUNKS = 2_000;
const CHUNK_BYTES = 64;

/** An incoming request of every server of ours. */
export class Request extends IncomingMessage {
  private offersUpgrade: boolean | null = null;
  private chunks = 0;
  private bytes = 0;

  /**
   * Node treats any offered protocol as an upgrade once the server accepts WebSockets. A server that does not know the
   * protocol has to answer in HTTP/1.1 (RFC 9110, 7.8): curl and Java offer h2c.
   */
  get upgrade(): boolean {
    return this.offersUpgrade === true && this.headers.upgrade?.toLowerCase() === "websocket";
  }

  set upgrade(offered: boolean | null) {
    this.offersUpgrade = offered;
  }

  /** Called by Node for each chunk. A body in tiny chunks would take a hundred times its bytes: its client is disconnected. */
  override push(chunk: Buffer | null): boolean {
    this.chunks += 1;
    this.bytes += chunk?.length ?? 0;
    if (this.chunks > MAX_SMALL_CHUNKS + this.bytes / CHUNK_BYTES) this.socket.destroy();
    return super.push(chunk);
  }
}
