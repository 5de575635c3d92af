/** Whose frames are on their way to Redis. One that has too many there is not read until they are through. */
export interface Source {
  /** Bytes published and not yet acknowledged. */
  unacknowledged: number;
  pause(): void;
  resume(): void;
}

/**
 * Reading a source stops above this many unacknowledged bytes: a flood waits in its own sender, not in front
 * of everybody else's frames. A pilot's 20 frames a second never come near it.
 */
const WINDOW_BYTES = 16_384;

/** What was written to Redis and has no reply yet, in order: replies carry no names. */
export class InFlight {
  private sources: (Source | undefined)[] = [];
  private sizes: number[] = [];
  private head = 0;
  private readonly paused = new Set<Source>();
  /** Every batch's last frame, as its position, and when it was written. */
  private marks: { readonly end: number; readonly at: number }[] = [];
  private taken = 0;
  bytes = 0;

  get count(): number {
    return this.sources.length - this.head;
  }

  /** Without a source: a command of ours, such as a probe. */
  add(source: Source | undefined, size: number): void {
    this.sources.push(source);
    this.sizes.push(size);
    this.bytes += size;
    if (!source) return;
    source.unacknowledged += size;
    if (source.unacknowledged <= WINDOW_BYTES || this.paused.has(source)) return;
    this.paused.add(source);
    source.pause();
  }

  /** All that was added was written now. */
  written(at: number): void {
    this.marks.push({ end: this.taken + this.count, at });
  }

  /** When the oldest batch without all of its replies was written; undefined when there is none. */
  get oldestAt(): number | undefined {
    return this.marks[0]?.at;
  }

  /** One more reply came. */
  acknowledge(): void {
    const source = this.sources[this.head];
    const size = this.sizes[this.head] ?? 0;
    this.sources[this.head++] = undefined;
    this.taken++;
    this.bytes -= size;
    while (this.marks[0] && this.marks[0].end <= this.taken) this.marks.shift();
    if (this.head > 4_096 && this.head * 2 > this.sources.length) this.compact();
    if (!source) return;
    source.unacknowledged -= size;
    if (source.unacknowledged > WINDOW_BYTES / 2 || !this.paused.delete(source)) return;
    source.resume();
  }

  /** Nothing of it will be answered. */
  clear(): void {
    for (const source of this.sources) if (source) source.unacknowledged = 0;
    for (const source of this.paused) source.resume();
    this.paused.clear();
    this.taken += this.count;
    this.sources = [];
    this.sizes = [];
    this.marks = [];
    this.head = 0;
    this.bytes = 0;
  }

  private compact(): void {
    this.sources = this.sources.slice(this.head);
    this.sizes = this.sizes.slice(this.head);
    this.head = 0;
  }
}
