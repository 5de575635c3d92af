import { IncomingMessage } from "node:http";

/** Chunks that one read of a connection, of 64 KiB, may bring: each costs some microseconds, in which nobody else is heard. */
const MAX_PIECES = 2_000;

/** A request as every server of ours takes it. */
export class Request extends IncomingMessage {
  private offered: boolean | null = null;
  /** What the connection's last read brought of the body. */
  private readonly pieces: Buffer[] = [];
  private bytesInPieces = 0;

  /**
   * Node takes any offer of another protocol for an upgrade as soon as somebody listens for WebSockets. A server that
   * does not know the protocol has to answer in this one (RFC 9110, 7.8): so it must for whoever offers h2c, as curl and
   * Java do.
   */
  get upgrade(): boolean {
    return this.offered === true && this.headers.upgrade?.toLowerCase() === "websocket";
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered;
  }

  /**
   * Told by Node of each piece of the body. Those of one read are put together: in chunks of a byte each they would take
   * five megabytes until somebody reads them, and twice the time. Who sends such is hung up on.
   */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.putTogether();
      return super.push(null);
    }
    // Not at the next tick, which there is after each piece.
    if (this.pieces.length === 0) setImmediate(() => this.putTogether());
    if (this.pieces.push(piece) > MAX_PIECES) this.socket.destroy();
    this.bytesInPieces += piece.length;
    return this.readableLength + this.bytesInPieces < this.readableHighWaterMark;
  }

  private putTogether(): void {
    if (this.pieces.length === 0) return;
    super.push(Buffer.concat(this.pieces.splice(0)));
    this.bytesInPieces = 0;
  }
}
