import type { WebSocket } from "ws";

export interface OutboxTally {
  /** A frame was handed to the socket, this many milliseconds (`performance.now()`) after `arrivedAt`. */
  written(bytes: number, arrivedAt: number): void;
  /** The oldest waiting frame was thrown away because its reader is too slow. */
  dropped(): void;
}

interface Waiting {
  readonly frame: Buffer;
  readonly binary: boolean;
  readonly arrivedAt: number;
}

/** Told from keep-alive pings by its payload. */
const MARK = Buffer.from("w");

/**
 * What goes to one slow-or-fast reader: the newest frames win.
 *
 * The kernel would take megabytes for a reader that has stalled, and hand them over, minutes old, when it
 * wakes. So at most `maxBytes` are on their way unconfirmed, where the reader's pong to a ping sent behind them
 * confirms them; at most `maxBytes` more wait here, of which the oldest are dropped for newer ones.
 */
export class Outbox {
  private readonly waiting: (Waiting | undefined)[] = [];
  private head = 0;
  private waitingBytes = 0;
  private sentBytes = 0;
  private confirmedBytes = 0;
  /** `sentBytes` when the ping went out that has no pong yet. */
  private markedBytes = -1;

  constructor(
    private readonly socket: WebSocket,
    private readonly maxBytes: number,
    private readonly tally: OutboxTally,
  ) {
    socket.on("pong", (payload) => this.confirm(payload));
  }

  /** A text frame's bytes must be valid UTF-8: a browser closes on anything else. */
  send(frame: Buffer, arrivedAt: number, binary = false): void {
    if (this.head === this.waiting.length && this.hasRoom(frame)) {
      this.write(frame, arrivedAt, binary);
      return;
    }
    this.waiting.push({ frame, binary, arrivedAt });
    this.waitingBytes += frame.length;
    while (this.waitingBytes > this.maxBytes) {
      this.shift();
      this.tally.dropped();
    }
  }

  clear(): void {
    this.waiting.length = 0;
    this.head = 0;
    this.waitingBytes = 0;
  }

  private hasRoom(frame: Buffer): boolean {
    const unconfirmed = this.sentBytes - this.confirmedBytes;
    return unconfirmed === 0 || unconfirmed + frame.length <= this.maxBytes;
  }

  private write(frame: Buffer, arrivedAt: number, binary: boolean): void {
    this.socket.send(frame, { binary });
    this.sentBytes += frame.length;
    this.tally.written(frame.length, arrivedAt);
    this.mark();
  }

  private mark(): void {
    if (this.markedBytes >= 0 || this.sentBytes - this.confirmedBytes <= this.maxBytes / 4) return;
    this.markedBytes = this.sentBytes;
    this.socket.ping(MARK);
  }

  private confirm(payload: Buffer): void {
    if (this.markedBytes < 0 || !payload.equals(MARK)) return;
    this.confirmedBytes = this.markedBytes;
    this.markedBytes = -1;
    while (this.head < this.waiting.length && this.hasRoom(this.waiting[this.head]!.frame)) {
      const { frame, arrivedAt, binary } = this.shift();
      this.write(frame, arrivedAt, binary);
    }
    this.mark();
  }

  private shift(): Waiting {
    const oldest = this.waiting[this.head]!;
    this.waiting[this.head++] = undefined;
    this.waitingBytes -= oldest.frame.length;
    if (this.head * 2 > this.waiting.length) {
      this.waiting.splice(0, this.head);
      this.head = 0;
    }
    return oldest;
  }
}
