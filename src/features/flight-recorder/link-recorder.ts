import type { FrameTap } from "../../vehicle";

/** Frames of one link, each behind its time, as `.tlog` has them. */
export interface Part {
  /** Of its first and its last frame, in microseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The drone's, where one was known to be in progress. */
  readonly execution: number | undefined;
  readonly bytes: Buffer;
}

interface LinkRecorderOptions {
  /** A part is ended after so long. */
  readonly partMs: number;
  readonly onPart: (part: Part) => void;
  /** The vehicle is disarmed and no execution runs: the record is complete. */
  readonly onEnd: () => void;
}

const STAMP_LENGTH = 8;
const CHUNK_BYTES = 65_536;
/** A flood's part ends earlier. */
const MAX_PART_BYTES = 4 * 2 ** 20;

/**
 * Records one link: idle ⇄ recording, as long as the vehicle is armed or the drone has an execution in progress. Its
 * memory holds the beginning of a part.
 */
export class LinkRecorder implements FrameTap {
  private isArmed = false;
  private execution: number | undefined;
  private chunk = Buffer.alloc(0);
  private used = 0;
  private full: Buffer[] = [];
  private from = 0;
  private to = 0;
  private hasBegun = false;

  constructor(private readonly options: LinkRecorderOptions) {}

  frame(bytes: Buffer): void {
    if (!this.isRecording) return;
    const size = STAMP_LENGTH + bytes.length;
    if (this.used + size > this.chunk.length) this.nextChunk();
    const at = Date.now() * 1000;
    if (this.from === 0) this.from = at;
    this.to = at;
    const { chunk, used } = this;
    chunk.writeUInt32BE(Math.floor(at / 2 ** 32), used);
    chunk.writeUInt32BE(at % 2 ** 32, used + 4);
    bytes.copy(chunk, used + STAMP_LENGTH);
    this.used += size;
  }

  /** The record begins with the heartbeat that shows the armed vehicle: a reader knows it from the first frame on. */
  armed(armed: boolean, heartbeat: Buffer): void {
    if (armed === this.isArmed) return;
    const before = this.isRecording;
    this.change(() => (this.isArmed = armed));
    if (!before) this.frame(heartbeat);
  }

  /** The drone's execution in progress. A part belongs to one execution. */
  executionIs(execution: number | undefined): void {
    if (execution !== this.execution) this.change(() => (this.execution = execution));
  }

  /** Called again and again: ends a part that is old enough. The first one makes the record known, and waits for nothing. */
  tick(now: number): void {
    const partMs = this.hasBegun ? this.options.partMs : 0;
    if (this.from > 0 && now - this.from / 1000 >= partMs) this.endPart();
  }

  /** The link is gone. Another one goes on with the record. Without another one the record is closed. */
  closed(): void {
    this.endPart();
  }

  private get isRecording(): boolean {
    return this.isArmed || this.execution !== undefined;
  }

  private change(set: () => void): void {
    const before = this.isRecording;
    this.endPart();
    set();
    if (!before || this.isRecording) return;
    this.hasBegun = false;
    this.options.onEnd();
  }

  private nextChunk(): void {
    if (this.used > 0) this.full.push(this.chunk.subarray(0, this.used));
    if (this.full.length * CHUNK_BYTES >= MAX_PART_BYTES) this.passPart();
    // A slab of its own: a part is kept while the store is away.
    this.chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.used = 0;
  }

  private endPart(): void {
    if (this.used > 0) this.full.push(this.chunk.subarray(0, this.used));
    this.chunk = Buffer.alloc(0);
    this.used = 0;
    if (this.full.length > 0) this.passPart();
  }

  private passPart(): void {
    const { from, to, execution, full } = this;
    this.full = [];
    this.from = 0;
    this.hasBegun = true;
    this.options.onPart({ from, to, execution, bytes: Buffer.concat(full) });
  }
}
