import {
  type Frame,
  frameAt,
  frameSize,
  INCOMPLETE,
  measure,
  START_V1,
  START_V2,
  UNKNOWN,
} from "../../vehicle/mavlink/wire/frame";
import type { MessageReader, ReadingCounters } from "../reader";

const STAMP_LENGTH = 8;
const YEAR_2000 = Date.UTC(2000);
const YEAR_2100 = Date.UTC(2100);

/** Microseconds since 1970, big-endian. */
const stampAt = (buffer: Buffer, at: number): number =>
  buffer.readUInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);

/** Whether a frame with its timestamp may begin here. Reads 9 bytes. */
export function looksLikeFrame(buffer: Buffer, at: number): boolean {
  const start = buffer[at + STAMP_LENGTH];
  if (start !== START_V1 && start !== START_V2) return false;
  const milliseconds = stampAt(buffer, at) / 1000;
  return milliseconds > YEAR_2000 && milliseconds < YEAR_2100;
}

/**
 * Cuts a ground station's telemetry log into MAVLink frames: each follows the time at which it was received. The
 * checksum of a frame with an unknown id cannot be checked: it is skipped when another frame follows it.
 */
export class TlogReader implements MessageReader {
  readonly counters: ReadingCounters = { messages: 0, damagedBytes: 0 };

  /** The frame is valid during the call only; the time is in microseconds since 1970. */
  constructor(private readonly onFrame: (frame: Frame, microseconds: number) => void) {}

  read(buffer: Buffer, end: number): number {
    let at = 0;
    while (end - at > STAMP_LENGTH) {
      const size = looksLikeFrame(buffer, at) ? this.frame(buffer, at, end) : 0;
      if (size === INCOMPLETE) break;
      if (size > 0) {
        at += STAMP_LENGTH + size;
        this.counters.messages++;
      } else {
        at++;
        this.counters.damagedBytes++;
      }
    }
    return at;
  }

  private frame(buffer: Buffer, at: number, end: number): number {
    const start = at + STAMP_LENGTH;
    const size = measure(buffer, start, end);
    if (size > 0) this.onFrame(frameAt(buffer, start, size), stampAt(buffer, at));
    if (size !== UNKNOWN) return size;
    const unchecked = frameSize(buffer, start);
    const next = start + unchecked;
    if (next + STAMP_LENGTH >= end) return next === end ? unchecked : INCOMPLETE;
    return looksLikeFrame(buffer, next) ? unchecked : 0;
  }
}
