import type { MessageReader, ReadingCounters } from "../reader";
import { HEADER_LENGTH, MessageFormat, type OnMessage } from "./format";

export const HEAD_1 = 0xa3;
export const HEAD_2 = 0x95;
/** The type of FMT, which declares all others and, in every log, itself. */
export const FMT_TYPE = 0x80;
const FMT_LENGTH = 89;

/** Messages whose handlers are called together. */
const MAX_FOUND = 4096;

/** A type's length and whether it is wanted, in 16 bits: the loop looks both up at once. */
const LENGTH_MASK = 0xff;
const WANTED_BIT = 8;

/** A header alone is the shortest message. A local constant: an imported one is a property access for each message. */
const SHORTEST = HEADER_LENGTH;

const FMT = MessageFormat.declare(FMT_TYPE, FMT_LENGTH, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns");

/**
 * Cuts an ArduPilot DataFlash log into messages: two head bytes, a type, and a payload whose length and fields a
 * FMT message declared earlier in the log. There is no checksum: bytes that do not begin like a message of
 * a declared type are skipped one by one and counted as damaged.
 *
 * Few messages are wanted, so going from header to header must be fast: the loop notes where wanted messages begin,
 * without a branch, and calls their handlers a few thousand at a time.
 */
export class DataFlashReader implements MessageReader {
  readonly counters: ReadingCounters = { messages: 0, damagedBytes: 0 };
  /** By type: its length, and above it a bit when there is a handler; 0 when it was not declared. */
  private readonly declared = new Uint16Array(256);
  private readonly handlers: (OnMessage | undefined)[] = new Array(256).fill(undefined);
  private readonly onFmt: OnMessage | undefined;
  private readonly found = new Uint32Array(MAX_FOUND);
  private view: DataView = new DataView(new ArrayBuffer(0));

  /** `onFormat` gives a handler for the messages of a format that is wanted; others are skipped. */
  constructor(private readonly onFormat: (format: MessageFormat) => OnMessage | undefined) {
    this.declared[FMT_TYPE] = FMT_LENGTH;
    this.onFmt = FMT && onFormat(FMT);
  }

  read(buffer: Buffer, end: number): number {
    const { declared, found } = this;
    this.viewOf(buffer);
    let at = 0;
    let messages = 0;
    let waiting = 0;
    while (end - at >= SHORTEST) {
      const type = buffer[at + 2] as number;
      const known = declared[type] as number;
      if (known === 0 || buffer[at] !== HEAD_1 || buffer[at + 1] !== HEAD_2) {
        at = this.skipDamage(buffer, at, end);
        continue;
      }
      const next = at + (known & LENGTH_MASK);
      if (next > end) break;
      if (type === FMT_TYPE) {
        // Messages before it are read by the formats declared until then.
        this.handle(waiting);
        waiting = 0;
        this.declare(buffer, at);
      }
      found[waiting] = at;
      waiting += known >> WANTED_BIT;
      if (waiting === MAX_FOUND) {
        this.handle(waiting);
        waiting = 0;
      }
      at = next;
      messages++;
    }
    this.handle(waiting);
    this.counters.messages += messages;
    return at;
  }

  private viewOf(buffer: Buffer): void {
    const { view } = this;
    const isSame = view.buffer === buffer.buffer && view.byteOffset === buffer.byteOffset;
    if (isSame && view.byteLength === buffer.length) return;
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  /** Calls the handlers of the first `count` messages that were found, in the log's order. */
  private handle(count: number): void {
    const { view, handlers, found } = this;
    for (let n = 0; n < count; n++) {
      const at = found[n] as number;
      handlers[view.getUint8(at + 2)]?.(view, at);
    }
  }

  private skipDamage(buffer: Buffer, at: number, end: number): number {
    const next = buffer.indexOf(HEAD_1, at + 1);
    const to = next < 0 || next > end ? end : next;
    this.counters.damagedBytes += to - at;
    return to;
  }

  private declare(buffer: Buffer, at: number): void {
    this.onFmt?.(this.view, at);
    const type = buffer[at + 3] as number;
    const length = buffer[at + 4] as number;
    // FMT's own length is fixed by the format; another one would hide all that follows.
    if (type === FMT_TYPE || length < HEADER_LENGTH) return;
    const word = (from: number, size: number): string => {
      const bytes = buffer.toString("latin1", at + from, at + from + size);
      const nul = bytes.indexOf("\0");
      return nul < 0 ? bytes : bytes.slice(0, nul);
    };
    const format = MessageFormat.declare(type, length, word(5, 4), word(9, 16), word(25, 64));
    const handler = format && this.onFormat(format);
    this.handlers[type] = handler;
    this.declared[type] = length | (handler ? 1 << WANTED_BIT : 0);
  }
}
