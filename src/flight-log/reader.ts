import type { FlightStats, LogFormat } from "./result";
import type { Telling } from "./tally/flight-tally";

export interface ReadingCounters {
  messages: number;
  /** Bytes that belong to no message. */
  damagedBytes: number;
}

/** Cuts one format's bytes into messages. It is given a window on the log and says how much of it is done. */
export interface MessageReader {
  readonly counters: ReadingCounters;
  /** Reads whole messages of `buffer` from 0 to `end`; returns where the first unread byte is. */
  read(buffer: Buffer, end: number): number;
}

/** Reads a log of one format and counts its flight together. */
export interface FlightReader {
  readonly format: LogFormat;
  readonly messages: MessageReader;
  /** What the whole log says, once all of it was read. */
  tell(): Telling;
}

/** The largest message of any format: ULog's length is 16 bits. No window may be smaller. */
export const LARGEST_MESSAGE = 65_538;

/** `left`: bytes at the end that are no whole message. */
export function statsOf({ format, messages, tell }: FlightReader, left: number): FlightStats {
  const { counters } = messages;
  const damaged = counters.damagedBytes + left;
  return {
    format,
    complete: damaged === 0,
    messages: counters.messages,
    damaged_bytes: damaged,
    ...tell(),
  };
}
