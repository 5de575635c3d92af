import { dataFlashFlight } from "./dataflash/flight";
import { FMT_TYPE, HEAD_1, HEAD_2 } from "./dataflash/reader";
import { type FlightReader, LARGEST_MESSAGE, statsOf } from "./reader";
import type { FlightLogResult } from "./result";
import { ulogFlight } from "./ulog/flight";
import { MAGIC } from "./ulog/reader";

const WINDOW = 1 << 20;
/** Bytes that tell one format from the others. */
const HEAD = 16;

/**
 * Reads a log as it comes, through a window of one megabyte that is filled again and again: it takes no more
 * memory for a large log than for a small one.
 */
export class LogAnalysis {
  private readonly window = Buffer.allocUnsafeSlow(WINDOW + LARGEST_MESSAGE);
  private filled = 0;
  private flight: FlightReader | undefined;
  private foreign = false;

  constructor(private readonly name: string) {}

  /** Where the next bytes of the log belong; `wrote` says how many were put there. */
  get room(): Buffer {
    return this.window.subarray(this.filled);
  }

  /** False when the log is none that we read, and the rest of it need not come. */
  wrote(bytes: number): boolean {
    this.filled += bytes;
    if (!this.flight && !this.foreign && this.filled >= HEAD) this.recognise();
    if (this.foreign) this.filled = 0;
    if (this.flight && this.filled >= LARGEST_MESSAGE) this.read(this.flight);
    return !this.foreign;
  }

  push(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length; ) {
      const { room } = this;
      const part = chunk.subarray(at, at + room.length);
      room.set(part);
      if (!this.wrote(part.length)) return false;
      at += part.length;
    }
    return true;
  }

  end(): FlightLogResult {
    const { flight, filled } = this;
    if (flight) this.read(flight);
    else if (filled === 0 && !this.foreign)
      return { status: "unreadable", reason: "empty", error: "The log is empty." };
    const stats = flight && statsOf(flight, this.filled);
    // A head alone, without one message behind it, is no log either.
    if (!stats || stats.messages === 0) return this.notALog();
    return { status: stats.complete ? "complete" : "damaged", stats };
  }

  private recognise(): void {
    this.flight = readerFor(this.window);
    this.foreign = this.flight === undefined;
  }

  private read(flight: FlightReader): void {
    const done = flight.messages.read(this.window, this.filled);
    this.window.copyWithin(0, done, this.filled);
    this.filled -= done;
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
