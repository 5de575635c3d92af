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

/** What `measure` finds besides a frame's size. */
export const NOT_A_FRAME = 0;
export const INCOMPLETE = -1;
export const UNKNOWN = -2;
const BAD_CRC = -3;

/** The size of the frame that begins at `at` if its checksum holds, or why there is none. */
export function measure(buffer: Buffer, at: number, end: number): number {
  const isV2 = buffer[at] === START_V2;
  const header = isV2 ? HEADER_V2 : HEADER_V1;
  if (end - at < header) return INCOMPLETE;
  const length = byteAt(buffer, at + 1);
  let signature = 0;
  let id: number;
  if (isV2) {
    const flags = byteAt(buffer, at + 2);
    // A flag we do not know may change the frame's layout: by MAVLink's rule such a frame is dropped.
    if ((flags & ~SIGNED) !== 0) return NOT_A_FRAME;
    if (flags !== 0) signature = SIGNATURE_LENGTH;
    id = byteAt(buffer, at + 7) | (byteAt(buffer, at + 8) << 8) | (byteAt(buffer, at + 9) << 16);
  } else {
    id = byteAt(buffer, at + 5);
    // MAVLink 1 cuts nothing off and has no extensions: a message has one length.
    const only = v1LengthOf(id);
    if (only >= 0 && length !== only) return NOT_A_FRAME;
  }
  const crcExtra = crcExtraOf(id);
  if (crcExtra < 0) return UNKNOWN;
  const checked = at + header + length;
  const size = header + length + CRC_LENGTH + signature;
  if (end - at < size) return INCOMPLETE;
  const crc = frameCrc(buffer, at + 1, checked, crcExtra);
  return buffer[checked] === (crc & 0xff) && buffer[checked + 1] === crc >> 8 ? size : BAD_CRC;
}

/** The bounds were checked by who asks. */
const byteAt = (buffer: Buffer, at: number): number => buffer[at] as number;

/** The header's fields, of a frame that may be none. */
export function layoutOf(buffer: Buffer, at: number) {
  const isV2 = buffer[at] === START_V2;
  const header = isV2 ? HEADER_V2 : HEADER_V1;
  const sequenceAt = at + (isV2 ? 4 : 2);
  const length = byteAt(buffer, at + 1);
  const signed = isV2 && byteAt(buffer, at + 2) !== 0;
  return {
    sequence: byteAt(buffer, sequenceAt),
    systemId: byteAt(buffer, sequenceAt + 1),
    componentId: byteAt(buffer, sequenceAt + 2),
    size: header + length + CRC_LENGTH + (signed ? SIGNATURE_LENGTH : 0),
  };
}

export function frameAt(buffer: Buffer, at: number, size: number): Frame {
  const length = byteAt(buffer, at + 1);
  if (buffer[at] === START_V1) {
    const id = byteAt(buffer, at + 5);
    const sequence = byteAt(buffer, at + 2);
    return new Frame(
      1,
      id,
      byteAt(buffer, at + 3),
      byteAt(buffer, at + 4),
      sequence,
      buffer,
      at,
      size,
      at + HEADER_V1,
      length,
    );
  }
  const id = byteAt(buffer, at + 7) | (byteAt(buffer, at + 8) << 8) | (byteAt(buffer, at + 9) << 16);
  const sequence = byteAt(buffer, at + 4);
  return new Frame(
    2,
    id,
    byteAt(buffer, at + 5),
    byteAt(buffer, at + 6),
    sequence,
    buffer,
    at,
    size,
    at + HEADER_V2,
    length,
  );
}
