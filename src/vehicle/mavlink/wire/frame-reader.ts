import {
  type Frame,
  frameAt,
  INCOMPLETE,
  layoutOf,
  measure,
  NOT_A_FRAME,
  START_V1,
  START_V2,
  UNKNOWN,
} from "./frame";

export interface FrameCounters {
  /** Frames delivered. */
  frames: number;
  /** Start bytes of a known message id whose checksum did not hold. */
  badCrc: number;
  /** Frames of ids we cannot check, counted when a good frame follows them exactly. */
  unknown: number;
  /** Bytes that belong to no frame. */
  bytesSkipped: number;
  /** Frames missing by the senders' sequence numbers. */
  lost: number;
}

/**
 * Cuts a MAVLink 1 and 2 byte stream into frames.
 *
 * Only a checksum that holds moves the reader past a whole frame. Everything else (noise, a false start
 * byte, a corrupt length, a failed checksum, an id that no dialect knows and that therefore cannot be
 * checked) moves it one byte, so that nothing can swallow a good frame that follows or overlaps. The price
 * is that the inside of a broken or unknown frame is searched too, where a chance frame needs a start byte,
 * a known id and a 16-bit checksum to be taken for one, and is held against what it would cover.
 *
 * A candidate that is still incomplete waits for its bytes (280 at most), because its inside may carry
 * MAVLink of its own (FTP, TUNNEL) that is not the sender's word. A corrupt length therefore delays the
 * frames behind it until that many bytes have come or the owner stops waiting, and loses none.
 *
 * Signed frames are delivered without a look at the signature: no key is shared with the vehicle.
 */
export class FrameReader {
  readonly counters: FrameCounters = {
    frames: 0,
    badCrc: 0,
    unknown: 0,
    bytesSkipped: 0,
    lost: 0,
  };
  private carry: Buffer | undefined;
  /** Bytes of the stream that came before the buffer now being scanned. */
  private base = 0;
  private readonly lastSequence = new Map<number, number>();
  private unknownChain: UnknownFrame[] = [];
  /** Where in the stream the last good frame ended. */
  private goodUntil = 0;

  /** `onFrame` must not throw: the rest of the chunk would be lost. */
  constructor(private readonly onFrame: (frame: Frame) => void) {}

  push(chunk: Buffer): void {
    this.read(this.carry ? Buffer.concat([this.carry, chunk]) : chunk);
  }

  /** Where in the stream the candidate begins that waits for its bytes; undefined when none does. */
  get waitingAt(): number | undefined {
    return this.carry && this.base;
  }

  /** Takes the waiting candidate for noise and searches the bytes that have come after it. */
  stopWaiting(): void {
    if (!this.carry) return;
    this.base++;
    this.counters.bytesSkipped++;
    this.read(this.carry.subarray(1));
  }

  /** No more bytes will come: finds the frames behind a candidate that waited in vain. */
  end(): void {
    while (this.carry) this.stopWaiting();
  }

  private read(buffer: Buffer): void {
    this.carry = undefined;
    const consumed = this.scan(buffer);
    this.base += consumed;
    // A copy, so that a few bytes do not keep the whole chunk alive.
    if (consumed < buffer.length) this.carry = Buffer.from(buffer.subarray(consumed));
  }

  private scan(buffer: Buffer): number {
    const end = buffer.length;
    let at = 0;
    while (at < end) {
      const start = buffer[at];
      const found = start === START_V2 || start === START_V1 ? measure(buffer, at, end) : NOT_A_FRAME;
      if (found === INCOMPLETE) break;
      if (found > 0 && this.credible(buffer, at, found)) {
        this.deliver(frameAt(buffer, at, found), at);
        at += found;
        this.goodUntil = this.base + at;
      } else {
        if (found === UNKNOWN) this.noteUnknown(buffer, at);
        else if (found !== NOT_A_FRAME) this.counters.badCrc++;
        this.counters.bytesSkipped++;
        at++;
      }
    }
    return at;
  }

  /**
   * A frame right behind a good one is believed. After noise the checksum alone would be wrong once in 65,536
   * times, and the chance frame would take good ones with it: so it is believed when a frame may begin where
   * it ends, and otherwise when no other frame begins inside it.
   */
  private credible(buffer: Buffer, at: number, size: number): boolean {
    if (this.base + at === this.goodUntil) return true;
    const after = buffer[at + size];
    if (after === undefined || after === START_V2 || after === START_V1) return true;
    for (let inside = at + 1; inside < at + size; inside++) {
      const byte = buffer[inside];
      if ((byte === START_V2 || byte === START_V1) && measure(buffer, inside, buffer.length) > 0)
        return false;
    }
    return true;
  }

  private deliver(frame: Frame, at: number): void {
    if (this.unknownChain.length > 0) this.settleUnknown(this.base + at);
    this.noteSequence(sender(frame.systemId, frame.componentId), frame.sequence);
    this.counters.frames++;
    this.onFrame(frame);
  }

  private noteSequence(from: number, sequence: number): void {
    const last = this.lastSequence.get(from);
    if (last !== undefined) this.counters.lost += (sequence - last - 1) & 0xff;
    this.lastSequence.set(from, sequence);
  }

  /** What looks like a frame of an unknown id; believed only when a good frame begins where it ends. */
  private noteUnknown(buffer: Buffer, at: number): void {
    const start = this.base + at;
    const chainEnd = this.unknownChain.at(-1)?.end ?? 0;
    if (start < chainEnd) return;
    if (start > chainEnd) this.unknownChain = [];
    const { size, systemId, componentId, sequence } = layoutOf(buffer, at);
    this.unknownChain.push({ end: start + size, size, from: sender(systemId, componentId), sequence });
  }

  private settleUnknown(goodFrameAt: number): void {
    if (this.unknownChain.at(-1)?.end === goodFrameAt) {
      for (const { size, from, sequence } of this.unknownChain) {
        this.counters.unknown++;
        this.counters.bytesSkipped -= size;
        this.noteSequence(from, sequence);
      }
    }
    this.unknownChain = [];
  }
}

interface UnknownFrame {
  readonly end: number;
  readonly size: number;
  readonly from: number;
  readonly sequence: number;
}

const sender = (systemId: number, componentId: number): number => (systemId << 8) | componentId;
