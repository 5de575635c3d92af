import { frameCrc } from "./crc";
import { crcExtraOf } from "./messages";

export const START_V1 = 0xfe;
export const START_V2 = 0xfd;
const HEADER_V1 = 6;
const HEADER_V2 = 10;
const CRC_LENGTH = 2;
const SIGNATURE_LENGTH = 13;
const SIGNED = 0x01;

/**
 * One frame whose checksum held. It is a view on the chunk it came in: `payload` copies nothing, and who
 * keeps a frame beyond the callback keeps the whole chunk alive.
 */
export class Frame {
  constructor(
    readonly version: 1 | 2,
    readonly id: number,
    readonly systemId: number,
    readonly componentId: number,
    readonly sequence: number,
    private readonly chunk: Buffer,
    private readonly start: number,
    private readonly size: number,
    readonly payloadStart: number,
    readonly payloadLength: number,
  ) {}

  /** As sent: MAVLink 2 cuts trailing zeros off. */
  get payload(): Buffer {
    return this.chunk.subarray(this.payloadStart, this.payloadStart + this.payloadLength);
  }

  /** The whole frame, from its start byte to its checksum or signature. */
  get bytes(): Buffer {
    return this.chunk.subarray(this.start, this.start + this.size);
  }

  /** Copies the payload into `target` and fills what was cut off with zeros. */
  copyPayload(target: Uint8Array): void {
    const length = Math.min(this.payloadLength, target.length);
    const { chunk, payloadStart } = this;
    for (let at = 0; at < length; at++) target[at] = chunk[payloadStart + at]!;
    target.fill(0, length);
  }
}

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
 * a known id and a 16-bit checksum to be taken for one.
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
      let step = 0;
      if (start === START_V2) step = this.readV2(buffer, at, end);
      else if (start === START_V1) step = this.readV1(buffer, at, end);
      if (step < 0) break;
      if (step === 0) {
        this.counters.bytesSkipped++;
        at++;
      } else {
        at += step;
      }
    }
    return at;
  }

  /** Size of the good frame at `at`; 0 when there is none; -1 when more bytes must come to tell. */
  private readV2(buffer: Buffer, at: number, end: number): number {
    if (end - at < HEADER_V2) return -1;
    const flags = buffer[at + 2]!;
    // A flag we do not know may change the frame's layout: by MAVLink's rule such a frame is dropped.
    if ((flags & ~SIGNED) !== 0) return 0;
    const length = buffer[at + 1]!;
    const id = buffer[at + 7]! | (buffer[at + 8]! << 8) | (buffer[at + 9]! << 16);
    const checked = HEADER_V2 + length;
    const size = checked + CRC_LENGTH + ((flags & SIGNED) === 0 ? 0 : SIGNATURE_LENGTH);
    const crcExtra = crcExtraOf(id);
    if (crcExtra < 0) {
      this.noteUnknown(at, size, sender(buffer[at + 5]!, buffer[at + 6]!), buffer[at + 4]!);
      return 0;
    }
    if (end - at < size) return -1;
    if (!this.crcHolds(buffer, at, checked, crcExtra)) return 0;
    this.deliver(
      new Frame(
        2,
        id,
        buffer[at + 5]!,
        buffer[at + 6]!,
        buffer[at + 4]!,
        buffer,
        at,
        size,
        at + HEADER_V2,
        length,
      ),
      at,
    );
    return size;
  }

  private readV1(buffer: Buffer, at: number, end: number): number {
    if (end - at < HEADER_V1) return -1;
    const length = buffer[at + 1]!;
    const id = buffer[at + 5]!;
    const checked = HEADER_V1 + length;
    const size = checked + CRC_LENGTH;
    const crcExtra = crcExtraOf(id);
    if (crcExtra < 0) {
      this.noteUnknown(at, size, sender(buffer[at + 3]!, buffer[at + 4]!), buffer[at + 2]!);
      return 0;
    }
    if (end - at < size) return -1;
    if (!this.crcHolds(buffer, at, checked, crcExtra)) return 0;
    this.deliver(
      new Frame(
        1,
        id,
        buffer[at + 3]!,
        buffer[at + 4]!,
        buffer[at + 2]!,
        buffer,
        at,
        size,
        at + HEADER_V1,
        length,
      ),
      at,
    );
    return size;
  }

  private crcHolds(buffer: Buffer, at: number, checked: number, crcExtra: number): boolean {
    const crc = frameCrc(buffer, at + 1, at + checked, crcExtra);
    const holds = buffer[at + checked] === (crc & 0xff) && buffer[at + checked + 1] === crc >> 8;
    if (!holds) this.counters.badCrc++;
    return holds;
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
  private noteUnknown(at: number, size: number, from: number, sequence: number): void {
    const start = this.base + at;
    const chainEnd = this.unknownChain.at(-1)?.end ?? 0;
    if (start < chainEnd) return;
    if (start > chainEnd) this.unknownChain = [];
    this.unknownChain.push({ end: start + size, size, from, sequence });
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
