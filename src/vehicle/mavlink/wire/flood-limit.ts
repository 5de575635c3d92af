import { TokenBucket } from "../../../platform/token-bucket";
import type { ByteStream } from "../../byte-stream";
import { common } from "./messages";

/**
 * The most that real autopilots sent in a second, with every stream at 50 Hz during a download of all parameters, was
 * 79 kB in 2,160 messages (ArduPilot) and 86 kB in 1,750 (PX4). A download of logs by another station, which a router on
 * board shows to everybody, had up to 3.7 MB in 35,400 and 4.8 MB in 45,200 without a network between.
 */
const BYTES_PER_SECOND = 5_000_000;
const FRAMES_PER_SECOND = 50_000;
/** Of the frames those that are decoded. */
const MESSAGES_PER_SECOND = 3_000;
/** Each goes to each watcher; other telemetry is sent at `TELEMETRY_MAX_HZ`. */
const STATUS_TEXTS_PER_SECOND = 100;
/** Noise is searched byte by byte for a frame that begins in it: each byte counts as so many. */
const NOISE_BYTE = 10;
/** A stream that is read late shows the past: the link is closed instead. */
const MAX_LATE_MS = 3_000;

export const FLOOD =
  "the vehicle sends more than a link carries (5 MB, 3,000 messages or 100 status texts a second)";

/** The amount that one vehicle may still send. It is kept when a link ends: a vehicle gains nothing by a new one. */
export class LinkAllowance {
  readonly bytes = new TokenBucket(BYTES_PER_SECOND);
  readonly frames = new TokenBucket(FRAMES_PER_SECOND);

  /** Takes what was read. Returns the milliseconds until all that was taken is made up for, or 0. */
  take(bytes: number, frames: number, now = performance.now()): number {
    return Math.max(this.bytes.take(bytes, now), this.frames.take(frames, now));
  }

  get waitMs(): number {
    return this.take(0, 0);
  }
}

/** Reads a vehicle no faster than its limits allow, so that a flood costs other vehicles' pilots little. */
export class FloodLimit {
  private lateSince: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly stream: Pick<ByteStream, "pause" | "resume">,
    private readonly allowance = new LinkAllowance(),
  ) {}

  /** Whether the message may be decoded; once not, the chunk's end closes the link. */
  admitsMessage(id: number): boolean {
    const { frames } = this.allowance;
    // What is not decoded takes no more than any frame: the next link would wait for it.
    if (frames.take(0) > MAX_LATE_MS) return false;
    const rate = id === common.StatusText.MSG_ID ? STATUS_TEXTS_PER_SECOND : MESSAGES_PER_SECOND;
    return frames.take(FRAMES_PER_SECOND / rate) <= MAX_LATE_MS;
  }

  /** To be called when a chunk has been read. False when the vehicle has sent too much for too long. */
  endChunk(bytes: number, noise: number, frames: number, now = performance.now()): boolean {
    const waitMs = this.allowance.take(bytes + noise * (NOISE_BYTE - 1), frames, now);
    if (waitMs === 0) {
      this.lateSince = undefined;
      return true;
    }
    this.lateSince ??= now;
    if (now + waitMs - this.lateSince > MAX_LATE_MS) return false;
    this.stream.pause();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stream.resume(), waitMs);
    return true;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
