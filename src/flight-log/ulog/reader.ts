import type { MessageReader, ReadingCounters } from "../reader";
import { Formats, type Layout } from "./format";

export const MAGIC = Buffer.from([0x55, 0x4c, 0x6f, 0x67, 0x01, 0x12, 0x35]);
const FILE_HEADER = 16;
const MESSAGE_HEADER = 3;
const KNOWN_TYPES = new Set([..."BFIMPQARLCDSO"].map((letter) => letter.charCodeAt(0)));
/** Written by PX4 so that readers can resynchronise: a whole message of type S. */
const SYNC = Buffer.from([8, 0, 0x53, 0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12]);

const letter = (type: number): string => String.fromCharCode(type);

/** Called with the buffer and where in it a message's data, its timestamp first, begins. Valid during the call. */
export type OnData = (buffer: Buffer, at: number) => void;

interface UlogListener {
  /** The log subscribes to a topic. Returns a handler when its data is wanted. */
  topic(name: string, instance: number, layout: Layout): OnData | undefined;
  /** syslog's level: 4 is a warning, smaller ones are worse. Microseconds since power-on. */
  text(level: number, microseconds: number, text: string): void;
}

/**
 * Cuts a PX4 ULog into messages: length, type, payload; data messages refer to a subscription, whose topic's
 * fields a format message declared. There is no checksum: after an unknown type the lengths are not
 * trusted, and reading continues after the next synchronisation mark.
 */
export class UlogReader implements MessageReader {
  readonly counters: ReadingCounters = { messages: 0, damagedBytes: 0 };
  private readonly formats = new Formats();
  private readonly subscriptions = new Map<number, { handle: OnData; size: number }>();
  private headerRead = false;
  private lost = false;

  constructor(private readonly listener: UlogListener) {}

  read(buffer: Buffer, end: number): number {
    let at = 0;
    if (!this.headerRead) {
      if (end < FILE_HEADER) return 0;
      this.headerRead = true;
      at = FILE_HEADER;
    }
    while (end - at >= MESSAGE_HEADER) {
      if (this.lost) {
        const next = this.findSync(buffer, at, end);
        this.counters.damagedBytes += next - at;
        at = next;
        if (this.lost) break;
        continue;
      }
      const size = buffer.readUInt16LE(at);
      const type = buffer[at + 2] as number;
      if (!KNOWN_TYPES.has(type) || size === 0) {
        this.lost = true;
        continue;
      }
      if (end - at < MESSAGE_HEADER + size) break;
      this.message(letter(type), buffer, at + MESSAGE_HEADER, size);
      at += MESSAGE_HEADER + size;
      this.counters.messages++;
    }
    return at;
  }

  /** Where the next mark begins. Without one, keeps the last bytes, which may be the beginning of a mark. */
  private findSync(buffer: Buffer, at: number, end: number): number {
    const found = buffer.subarray(0, end).indexOf(SYNC, at);
    if (found < 0) return Math.max(at, end - SYNC.length + 1);
    this.lost = false;
    return found;
  }

  private message(type: string, buffer: Buffer, at: number, size: number): void {
    if (type === "D") this.data(buffer, at, size);
    else if (type === "F") this.formats.declare(buffer.toString("latin1", at, at + size));
    else if (type === "A") this.subscribe(buffer, at, size);
    else if (type === "R" && size >= 2) this.subscriptions.delete(buffer.readUInt16LE(at));
    else if (type === "L" && size >= 9) this.text(buffer, at, at + 1, at + size);
    else if (type === "C" && size >= 11) this.text(buffer, at, at + 3, at + size);
  }

  private text(buffer: Buffer, levelAt: number, timeAt: number, end: number): void {
    // Levels are written as digits.
    const level = (buffer[levelAt] as number) - 0x30;
    const microseconds = Number(buffer.readBigUInt64LE(timeAt));
    this.listener.text(level, microseconds, buffer.toString("utf8", timeAt + 8, end));
  }

  private subscribe(buffer: Buffer, at: number, size: number): void {
    if (size < 4) return;
    const id = buffer.readUInt16LE(at + 1);
    const name = buffer.toString("latin1", at + 3, at + size);
    const layout = this.formats.layout(name);
    const handle = layout && this.listener.topic(name, buffer[at] as number, layout);
    if (layout && handle) this.subscriptions.set(id, { handle, size: layout.size });
    else this.subscriptions.delete(id);
  }

  private data(buffer: Buffer, at: number, size: number): void {
    const subscription = size >= 2 && this.subscriptions.get(buffer.readUInt16LE(at));
    if (subscription && size - 2 >= subscription.size) subscription.handle(buffer, at + 2);
  }
}
