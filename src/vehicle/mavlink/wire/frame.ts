import { frameCrc } from "./crc";
import { crcExtraOf, v1LengthOf } from "./messages";

export const START_V1 = 0xfe;
export const START_V2 = 0xfd;
const HEADER_V1 = 6;
const HEADER_V2 = 10;
const CRC_LENGTH = 2;
const SIGNATURE_LENGTH = 13;
const SIGNED = 0x01;

/**
 * One frame with a valid checksum. It is a view on the chunk it came in: `payload` copies nothing, and a frame that is
 * kept beyond the callback keeps the whole chunk alive.
 */
export class Frame {
  constructor(
    readonly id: number,
    readonly systemId: number,
    readonly componentId: number,
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

  /** One more than that of the sender's last frame, modulo 256. */
  get sequence(): number {
    return this.chunk[this.start + (this.chunk[this.start] === START_V2 ? 4 : 2)] as number;
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

/** What `measure` returns besides a frame's size. */
export const NOT_A_FRAME = 0;
export const INCOMPLETE = -1;
/** Of an id that no dialect has, so that its checksum cannot be checked; see `frameSize`. */
export const UNKNOWN = -2;

/** The size of the frame that begins at `at` if its checksum is valid, or why there is none. */
export function measure(buffer: Buffer, at: number, end: number): number {
  const isV2 = buffer[at] === START_V2;
  const header = isV2 ? HEADER_V2 : HEADER_V1;
  if (end - at < header) return INCOMPLETE;
  const length = byteAt(buffer, at + 1);
  const id = messageId(buffer, at, isV2);
  if (isV2) {
    // A flag we do not know may change the frame's layout: by MAVLink's rule such a frame is dropped.
    if ((byteAt(buffer, at + 2) & ~SIGNED) !== 0) return NOT_A_FRAME;
  } else {
    // MAVLink 1 cuts nothing off and has no extensions: a message has one length.
    const only = v1LengthOf(id);
    if (only >= 0 && length !== only) return NOT_A_FRAME;
  }
  const crcExtra = crcExtraOf(id);
  if (crcExtra < 0) return UNKNOWN;
  const checked = at + header + length;
  const size = frameSize(buffer, at);
  if (end - at < size) return INCOMPLETE;
  const crc = frameCrc(buffer, at + 1, checked, crcExtra);
  return buffer[checked] === (crc & 0xff) && buffer[checked + 1] === crc >> 8 ? size : NOT_A_FRAME;
}

/** The size that the header at `at` claims. */
export function frameSize(buffer: Buffer, at: number): number {
  const length = byteAt(buffer, at + 1);
  if (buffer[at] !== START_V2) return HEADER_V1 + length + CRC_LENGTH;
  return HEADER_V2 + length + CRC_LENGTH + (byteAt(buffer, at + 2) === 0 ? 0 : SIGNATURE_LENGTH);
}

/** The caller has checked the bounds. */
const byteAt = (buffer: Buffer, at: number): number => buffer[at] as number;

const messageId = (buffer: Buffer, at: number, isV2: boolean): number =>
  isV2
    ? byteAt(buffer, at + 7) | (byteAt(buffer, at + 8) << 8) | (byteAt(buffer, at + 9) << 16)
    : byteAt(buffer, at + 5);

/** Who sent a frame, and the number that it gave it: one more than its last, modulo 256. */
export interface Sender {
  readonly systemId: number;
  readonly componentId: number;
  readonly sequence: number;
}

export function senderAt(buffer: Buffer, at: number): Sender {
  const first = at + (buffer[at] === START_V2 ? 4 : 2);
  return {
    sequence: byteAt(buffer, first),
    systemId: byteAt(buffer, first + 1),
    componentId: byteAt(buffer, first + 2),
  };
}

/** The frame that `measure` found. */
export function frameAt(buffer: Buffer, at: number, size: number): Frame {
  const isV2 = buffer[at] === START_V2;
  const idsAt = at + (isV2 ? 5 : 3);
  return new Frame(
    messageId(buffer, at, isV2),
    byteAt(buffer, idsAt),
    byteAt(buffer, idsAt + 1),
    buffer,
    at,
    size,
    at + (isV2 ? HEADER_V2 : HEADER_V1),
    byteAt(buffer, at + 1),
  );
}
