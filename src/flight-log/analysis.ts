import { dataFlashFlight } from "./dataflash/flight";
import { FMT_TYPE, HEAD_1, HEAD_2 } from "./dataflash/reader";
import { type FlightReader, LARGEST_MESSAGE, readFlight } from "./reader";
import type { FlightLogResult, FlightTime } from "./result";
import { ulogFlight } from "./ulog/flight";
import { MAGIC } from "./ulog/reader";

const WINDOW = 1 << 20;
/** The first bytes, by which the formats are recognised. */
const HEAD = 16;

/** Reads a log chunk by chunk: a large log takes no more memory than a small one. */
export class LogAnalysis {
  /** The beginning of a message whose end has not come yet, and behind it the next bytes. */
  private readonly window = Buffer.allocUnsafeSlow(LARGEST_MESSAGE + WINDOW);
  /** Bytes of that beginning. */
  private rest = 0;
  private flight: FlightReader | undefined;
  private isForeign = false;

  /** `during`: when the flight took place, since a log may have several. */
  constructor(
    private readonly name: string,
    private readonly during?: FlightTime,
  ) {}

  /** The log's next bytes. False when the log has none of the formats that we read, and needs no further bytes. */
  push(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length && !this.isForeign; at += WINDOW) {
      const part = chunk.subarray(at, at + WINDOW);
      this.window.set(part, this.rest);
      this.read(this.rest + part.length);
    }
    return !this.isForeign;
  }

  private read(end: number): void {
    const { window } = this;
    if (!this.flight && end >= HEAD) {
      this.flight = readerFor(window, this.during);
      this.isForeign = this.flight === undefined;
    }
    const done = this.flight?.messages.read(window, end) ?? 0;
    window.copyWithin(0, done, end);
    this.rest = end - done;
  }

  end(): FlightLogResult {
    const { flight, rest } = this;
    if (!flight && rest === 0) return { status: "unreadable", reason: "empty", error: "The log is empty." };
    const read = flight && readFlight(flight, rest);
    // A head alone, without one message behind it, is no log either.
    if (!read || read.stats.messages === 0) return this.notALog();
    return { status: read.stats.complete ? "complete" : "damaged", ...read };
  }

  private notALog(): FlightLogResult {
    const name = this.name.replace(/[^\P{C}]+/gu, " ").slice(0, 100);
    const error = `"${name}" cannot be read as a flight log. ArduPilot's .bin, MAVLink's .tlog and PX4's .ulg can.`;
    return { status: "unreadable", reason: "foreign", error };
  }
}

/** By content: names lie, and uploads are renamed. */
function readerFor(head: Buffer, during?: FlightTime): FlightReader | undefined {
  if (head[0] === HEAD_1 && head[1] === HEAD_2 && head[2] === FMT_TYPE) return dataFlashFlight(during);
  if (head.subarray(0, MAGIC.length).equals(MAGIC)) return ulogFlight(during);
  // MAVLink's dialects take longer to load than most logs take to be read.
  const { looksLikeFrame }: typeof import("./tlog/reader") = require("./tlog/reader");
  const { tlogFlight }: typeof import("./tlog/flight") = require("./tlog/flight");
  return looksLikeFrame(head, 0) ? tlogFlight(during) : undefined;
}
