import type { TelemetryFrame } from "../events";

/** Opcode of a text frame with the FIN bit, and the lengths that say that two or eight bytes of length follow (RFC 6455). */
const TEXT = 0x81;
const SHORT = 126;
const LONG = 127;
/** Socket.IO's event of the namespace `/`, with its name. */
const EVENT = '2["telemetry_data",';
/** Engine.IO's message with it. */
const BEGINNING = Buffer.from(`4${EVENT}`);
const END = Buffer.from("]");

/** A frame and its text, which is made once for all who are sent it. */
export class EncodedFrame {
  private text: string | undefined;

  constructor(readonly frame: TelemetryFrame) {}

  /** As other replicas get it. */
  get json(): string {
    this.text ??= JSON.stringify(this.frame);
    return this.text;
  }

  /** As a Socket.IO packet. */
  get packet(): string {
    return `${EVENT}${this.json}]`;
  }
}

/** Frames that are sent together. */
export class FrameBatch {
  private encoded: Buffer | undefined;

  constructor(readonly frames: readonly EncodedFrame[]) {}

  /** A WebSocket frame for each packet, one after the other, not masked. */
  get webSocketBytes(): Buffer {
    this.encoded ??= webSocketFrames(this.frames);
    return this.encoded;
  }
}

function webSocketFrames(frames: readonly EncodedFrame[]): Buffer {
  const lengths = frames.map(({ json }) => BEGINNING.length + Buffer.byteLength(json) + END.length);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerOf(length) + length, 0));
  let at = 0;
  for (const [index, { json }] of frames.entries()) {
    const length = lengths[index] as number;
    const header = headerOf(length);
    bytes[at] = TEXT;
    bytes[at + 1] = header === 2 ? length : header === 4 ? SHORT : LONG;
    if (header === 4) bytes.writeUInt16BE(length, at + 2);
    if (header === 10) bytes.writeBigUInt64BE(BigInt(length), at + 2);
    at += header;
    at += BEGINNING.copy(bytes, at);
    at += bytes.write(json, at);
    at += END.copy(bytes, at);
  }
  return bytes;
}

const headerOf = (length: number): number => (length < SHORT ? 2 : length < 2 ** 16 ? 4 : 10);
