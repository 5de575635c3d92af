import type { FlightStats, FlightTrack, LogFormat } from "./result";
import type { FlightFigures } from "./stats/flight-stats-builder";

export interface ReadingCounters {
  messages: number;
  /** Bytes that belong to no message. */
  damagedBytes: number;
}

/** Cuts one format's bytes into messages. */
export interface MessageReader {
  readonly counters: ReadingCounters;
  /** Reads whole messages of `buffer` from 0 to `end`; returns where the first unread byte is. */
  read(buffer: Buffer, end: number): number;
}

/** Reads a log of one format and builds the flight's statistics. */
export interface FlightReader {
  readonly format: LogFormat;
  readonly messages: MessageReader;
  /** Once the whole log was read. */
  figures(): FlightFigures;
}

/** The largest message of any format: ULog's length is 16 bits. No window may be smaller. */
export const LARGEST_MESSAGE = 65_538;

/** `rest`: bytes at the end that are not a whole message. */
export function readFlight(
  { format, messages, figures }: FlightReader,
  rest: number,
): { readonly stats: FlightStats; readonly track: FlightTrack } {
  const { counters } = messages;
  const { isOver, wholeTrack: track, ...figured } = figures();
  const stats = {
    format,
    // A log that is still being written ends anywhere.
    complete: counters.damagedBytes === 0 && (rest === 0 || isOver),
    messages: counters.messages,
    damaged_bytes: counters.damagedBytes + rest,
    ...figured,
  };
  return { stats, track };
}
