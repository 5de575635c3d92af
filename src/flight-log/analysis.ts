import { dataFlashFlight } from "./dataflash/flight";
import { FMT_TYPE, HEAD_1, HEAD_2 } from "./dataflash/reader";
import { type FlightReader, LARGEST_MESSAGE, statsOf } from "./reader";
import type { FlightLogResult } from "./result";
import { ulogFlight } from "./ulog/flight";
import { MAGIC } from "./ulog/reader";

const WINDOW = 1 << 20;
/** Bytes that tell one format from the others. */
const HEAD = 16;

const PAGE = 4096;
/**
 * Half a page beyond a page's begin: several kinds of processor copy from a page to the same place of another page, as
 * the file's pages would be, at half their speed.
 */
const ROOM_AT = Math.ceil(LARGEST_MESSAGE / PAGE) * PAGE + PAGE / 2;

/** A megabyte of a log, behind room for what was left of the one before. It is filled again and again. */
export class LogWindow {
  readonly bytes = Buffer.allocUnsafeSlow(ROOM_AT + WINDOW);
  /** Where the log's bytes are put. */
  readonly room = this.bytes.subarray(ROOM_AT);
}

/** Reads a log window by window: it takes no more memory for a large log than for a small one. */
export class LogAnalysis {
  /** The begin of a message whose end was not there yet. */
  private readonly rest = Buffer.allocUnsafeSlow(LARGEST_MESSAGE);
  private left = 0;
  private window: LogWindow | undefined;
  private flight: FlightReader | undefined;
  private foreign = false;

  constructor(private readonly name: string) {}

  /**
   * The log's next bytes are in the window's room; it is free again afterwards. False when the log is none that
   * we read, and the rest of it need not come.
   */
  take({ bytes, room }: LogWindow, count: number): boolean {
    if (this.foreign) return false;
    const from = room.byteOffset - bytes.byteOffset - this.left;
    this.rest.copy(bytes, from, 0, this.left);
    const part = bytes.subarray(from, from + this.left + count);
    if (!this.flight && part.length >= HEAD) this.recognise(part);
    const done = this.flight?.messages.read(part, part.length) ?? 0;
    this.left = this.foreign ? 0 : part.copy(this.rest, 0, done);
    return !this.foreign;
  }

  push(chunk: Uint8Array): boolean {
    this.window ??= new LogWindow();
    const { window } = this;
    for (let at = 0; at < chunk.length; at += WINDOW) {
      const part = chunk.subarray(at, at + WINDOW);
      window.room.set(part);
      if (!this.take(window, part.length)) return false;
    }
    return true;
  }

  end(): FlightLogResult {
    const { flight, left } = this;
    if (!flight && left === 0 && !this.foreign)
      return { status: "unreadable", reason: "empty", error: "The log is empty." };
    const stats = flight && statsOf(flight, left);
    // A head alone, without one message behind it, is no log either.
    if (!stats || stats.messages === 0) return this.notALog();
    return { status: stats.complete ? "complete" : "damaged", stats };
  }

  private recognise(head: Buffer): void {
    this.flight = readerFor(head);
    this.foreign = this.flight === undefined;
  }

  private notALog(): FlightLogResult {
    const name = this.name.replace(/[^\P{C}]+/gu, " ").slice(0, 100);
    const error = `"${name}" is no flight log that can be read. ArduPilot's .bin, MAVLink's .tlog and PX4's .ulg can.`;
    return { status: "unreadable", reason: "foreign", error };
  }
}

/** By content: names lie, and uploads are renamed. */
function readerFor(head: Buffer): FlightReader | undefined {
  if (head[0] === HEAD_1 && head[1] === HEAD_2 && head[2] === FMT_TYPE) return dataFlashFlight();
  if (head.subarray(0, MAGIC.length).equals(MAGIC)) return ulogFlight();
  // MAVLink's dialects take longer to load than most logs take to be read.
  const { mayBegin }: typeof import("./tlog/reader") = require("./tlog/reader");
  const { tlogFlight }: typeof import("./tlog/flight") = require("./tlog/flight");
  return mayBegin(head, 0) ? tlogFlight() : undefined;
}
