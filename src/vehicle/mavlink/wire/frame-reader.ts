import {
  type Frame,
  frameAt,
  frameSize,
  INCOMPLETE,
  measure,
  NOT_A_FRAME,
  type Sender,
  START_V1,
  START_V2,
  senderAt,
  UNKNOWN,
} from "./frame";

/**
 * Cuts a MAVLink 1 and 2 byte stream into frames.
 *
 * Only a valid checksum moves the reader past a whole frame. Everything else (noise, a false start byte, a corrupt
 * length, a failed checksum, an id that no dialect has and that therefore cannot be checked) moves it one byte, so that
 * nothing can swallow a good frame that follows or overlaps. The price is that the inside of a broken or unknown frame
 * is searched too, where a chance frame needs a start byte, a known id and a 16-bit checksum to be taken for one, and is
 * held against what it would cover.
 *
 * A candidate that is still incomplete waits for its bytes (280 at most), because its inside may carry MAVLink of its own
 * (FTP, TUNNEL) that the sender only relays. A corrupt length therefore delays the frames behind it until that many
 * bytes have come or the owner skips it, and loses none.
 *
 * Signed frames are delivered without a look at the signature: no key is shared with the vehicle.
 */
export class FrameReader {
  private carry: Buffer | undefined;
  /** Bytes of the stream that came before the buffer now being scanned. */
  private base = 0;
  /** Where in the stream the last good frame ended. */
  private goodUntil = 0;
  /** How many bytes belonged to no good frame. */
  noise = 0;

  /** Where in the stream the last frame of an unknown id seems to end. */
  private unknownUntil = 0;

  /**
   * `onUnknown` is called for a frame of an id that no dialect has, where one seems to follow another frame. Neither may
   * throw: the rest of the chunk would be lost.
   */
  constructor(
    private readonly onFrame: (frame: Frame) => void,
    private readonly onUnknown: (sender: Sender) => void = () => {},
  ) {}

  push(chunk: Buffer): void {
    this.read(this.carry ? Buffer.concat([this.carry, chunk]) : chunk);
  }

  /** Where in the stream the incomplete candidate begins; undefined when there is none. */
  get incompleteAt(): number | undefined {
    return this.carry && this.base;
  }

  /** Takes the incomplete candidate for noise and searches the bytes that have come after it. */
  skipIncomplete(): void {
    if (!this.carry) return;
    this.base++;
    this.read(this.carry.subarray(1));
  }

  /** No more bytes will come: finds the frames behind incomplete candidates. */
  end(): void {
    while (this.carry) this.skipIncomplete();
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
      const size = start === START_V2 || start === START_V1 ? measure(buffer, at, end) : NOT_A_FRAME;
      if (size === INCOMPLETE) break;
      if (size > 0 && this.isCredible(buffer, at, size)) {
        this.onFrame(frameAt(buffer, at, size));
        at += size;
        this.goodUntil = this.base + at;
      } else {
        if (size === UNKNOWN) this.skipUnknown(buffer, at);
        at++;
        this.noise++;
      }
    }
    return at;
  }

  /** Its inside is searched all the same. */
  private skipUnknown(buffer: Buffer, at: number): void {
    const position = this.base + at;
    if (position !== this.goodUntil && position !== this.unknownUntil) return;
    this.unknownUntil = position + frameSize(buffer, at);
    this.onUnknown(senderAt(buffer, at));
  }

  /**
   * A frame right behind a good one counts. After noise the checksum alone would be wrong once in 65,536 times, and the
   * chance frame would take good ones with it: so it counts when a frame may begin where it ends, and otherwise when no
   * other frame begins inside it.
   */
  private isCredible(buffer: Buffer, at: number, size: number): boolean {
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
}
