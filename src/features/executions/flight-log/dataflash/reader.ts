import type { MessageReader, ReadingCounters } from "../reader";
import { HEADER_LENGTH, MessageFormat } from "./format";

export const HEAD_1 = 0xa3;
export const HEAD_2 = 0x95;
/** The type of FMT, which declares all others and, in every log, itself. */
export const FMT_TYPE = 0x80;
export const FMT_LENGTH = 89;

/** Called with the buffer and where in it the message begins. The bytes are valid during the call only. */
export type OnMessage = (buffer: Buffer, at: number) => void;

const FMT = MessageFormat.declare(FMT_TYPE, FMT_LENGTH, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");

/**
 * Cuts an ArduPilot DataFlash log into messages: two head bytes, a type, and a payload whose length and fields a
 * FMT message declared earlier in the log. There is no checksum: what does not begin like a message of a
 * declared type is passed over byte by byte and counted as damaged.
 */
export class DataFlashReader implements MessageReader {
  readonly counters: ReadingCounters = { messages: 0, damagedBytes: 0 };
  /** By type; 0 when it was not declared. */
  private readonly lengths = new Uint8Array(256);
  private readonly handlers: (OnMessage | undefined)[] = new Array(256).fill(undefined);

  /** `onFormat` gives a handler for the messages of a format that is wanted; others are passed over. */
  constructor(private readonly onFormat: (format: MessageFormat) => OnMessage | undefined) {
    this.lengths[FMT_TYPE] = FMT_LENGTH;
    const wanted = FMT && onFormat(FMT);
    this.handlers[FMT_TYPE] = (buffer, at) => {
      this.declare(buffer, at);
      wanted?.(buffer, at);
    };
  }

  read(buffer: Buffer, end: number): number {
    const { lengths, handlers } = this;
    let at = 0;
    let messages = 0;
    while (end - at >= HEADER_LENGTH) {
      if (buffer[at] === HEAD_1 && buffer[at + 1] === HEAD_2) {
        const type = buffer[at + 2] as number;
        const length = lengths[type] as number;
        if (length > 0) {
          if (end - at < length) break;
          const handler = handlers[type];
          if (handler !== undefined) handler(buffer, at);
          at += length;
          messages++;
          continue;
        }
      }
      at = this.passOver(buffer, at, end);
    }
    this.counters.messages += messages;
    return at;
  }

  private passOver(buffer: Buffer, at: number, end: number): number {
    const found = buffer.indexOf(HEAD_1, at + 1);
    const next = found < 0 || found > end ? end : found;
    this.counters.damagedBytes += next - at;
    return next;
  }

  private declare(buffer: Buffer, at: number): void {
    const type = buffer[at + 3] as number;
    const length = buffer[at + 4] as number;
    // FMT's own length is fixed by the format; another one would hide all that follows.
    if (type === FMT_TYPE || length < HEADER_LENGTH) return;
    const word = (from: number, size: number): string => {
      const bytes = buffer.toString("latin1", at + from, at + from + size);
      const nul = bytes.indexOf("\0");
      return nul < 0 ? bytes : bytes.slice(0, nul);
    };
    this.lengths[type] = length;
    const format = MessageFormat.declare(type, length, word(5, 4), word(9, 16), word(25, 64));
    this.handlers[type] = format && this.onFormat(format);
  }
}
