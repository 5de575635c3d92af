import type { TelemetryFrame } from "../events";

/** Opcode of a text frame with the FIN bit, and the length that says that two or eight bytes of length follow (RFC 6455). */
const TEXT = 0x81;
const SHORT = 126;
const LONG = 127;

/** A frame and its texts, each made once for all who are sent it. */
export class EncodedFrame {
  private text: string | undefined;

  constructor(readonly frame: TelemetryFrame) {}

  /** As other replicas get it. */
  get json(): string {
    this.text ??= JSON.stringify(this.frame);
    return this.text;
  }

  /** As a Socket.IO packet: 2 is an event of the namespace `/`. */
  get packet(): string {
    return `2["telemetry_data",${this.json}]`;
  }
}

/** Frames that are sent together. */
export class FrameBatch {
  private encoded: Buffer | undefined;

  constructor(readonly frames: readonly EncodedFrame[]) {}

  /** The bytes of a WebSocket frame for each packet; Engine.IO begins a message with 4. */
  get webSocketBytes(): Buffer {
    this.encoded ??= webSocketText(this.frames.map(({ packet }) => `4${packet}`));
    return this.encoded;
  }
}

/** Each text as an unmasked frame, one after the other. */
function webSocketText(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const headerOf = (length: number) => (length < SHORT ? 2 : length < 2 ** 16 ? 4 : 10);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerOf(length) + length, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] as number;
    const header = headerOf(length);
    bytes[at] = TEXT;
    bytes[at + 1] = header === 2 ? length : header === 4 ? SHORT : LONG;
    if (header === 4) bytes.writeUInt16BE(length, at + 2);
    if (header === 10) bytes.writeBigUInt64BE(BigInt(length), at + 2);
    at += header;
    at += bytes.write(text, at);
  }
  return bytes;
}
