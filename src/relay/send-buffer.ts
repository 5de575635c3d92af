import type { WebSocket } from "ws";

interface SendBufferEvents {
  /** A frame was handed to the socket, which arrived at this time (`performance.now()`). */
  written(bytes: number, arrivedAt: number): void;
  /** The oldest waiting frame was dropped because the reader is too slow. */
  dropped(): void;
}

interface Waiting {
  readonly frame: Buffer;
  readonly binary: boolean;
  readonly arrivedAt: number;
}

/** The payload that distinguishes these pings from the keep-alive's. */
const MARK = Buffer.from("w");

/**
 * Frames on their way to one reader; for a slow one the newest frames win.
 *
 * The kernel would accept megabytes for a reader that has stalled, and deliver them, minutes old, when it resumes. So
 * at most `maxBytes` are sent unconfirmed, where the reader's pong confirms all that was sent before its ping. At most
 * `maxBytes` more wait here; beyond that the oldest are dropped.
 */
export class SendBuffer {
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private sentBytes = 0;
  private confirmedBytes = 0;
  /** `sentBytes` when the ping was sent that has no pong yet. */
  private markedBytes: number | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly maxBytes: number,
    private readonly events: SendBufferEvents,
  ) {
    socket.on("pong", (payload) => this.confirm(payload));
  }

  /** A text frame's bytes must be valid UTF-8: a browser closes on anything else. */
  send(frame: Buffer, arrivedAt: number, binary = false): void {
    const next = { frame, binary, arrivedAt };
    if (this.waiting.length === 0 && this.hasRoom(next)) {
      this.write(next);
      return;
    }
    this.waiting.push(next);
    this.waitingBytes += frame.length;
    while (this.waitingBytes > this.maxBytes) {
      this.shift();
      this.events.dropped();
    }
  }

  clear(): void {
    this.waiting.length = 0;
    this.waitingBytes = 0;
  }

  private hasRoom({ frame }: Waiting): boolean {
    const unconfirmed = this.sentBytes - this.confirmedBytes;
    return unconfirmed === 0 || unconfirmed + frame.length <= this.maxBytes;
  }

  private write({ frame, binary, arrivedAt }: Waiting): void {
    this.socket.send(frame, { binary });
    this.sentBytes += frame.length;
    this.events.written(frame.length, arrivedAt);
    this.mark();
  }

  private mark(): void {
    if (this.markedBytes !== undefined || this.sentBytes - this.confirmedBytes <= this.maxBytes / 4) return;
    this.markedBytes = this.sentBytes;
    this.socket.ping(MARK);
  }

  private confirm(payload: Buffer): void {
    if (this.markedBytes === undefined || !payload.equals(MARK)) return;
    this.confirmedBytes = this.markedBytes;
    this.markedBytes = undefined;
    while (this.waiting[0] && this.hasRoom(this.waiting[0])) this.write(this.shift());
    this.mark();
  }

  private shift(): Waiting {
    const oldest = this.waiting.shift() as Waiting;
    this.waitingBytes -= oldest.frame.length;
    return oldest;
  }
}
