/**
 * Passes at most `maxHz` values a second for each key. One that comes too early waits for its turn, and the
 * newest takes the place of one that waits, which is then dropped.
 *
 * A vehicle that sends at just this rate has jitter: half an interval of it is let through without a wait.
 */
export class RateCap<Key, Value> {
  private readonly intervalMs: number;
  private readonly dueAt = new Map<Key, number>();
  private readonly waiting = new Map<Key, Value>();
  private timer: { readonly handle: NodeJS.Timeout; readonly at: number } | undefined;

  constructor(
    maxHz: number,
    private readonly pass: (key: Key, value: Value) => void,
    private readonly dropped: (key: Key) => void,
  ) {
    this.intervalMs = 1000 / maxHz;
  }

  /** `now` in milliseconds of a clock that never steps. */
  offer(key: Key, value: Value, now: number): void {
    if (this.waiting.has(key)) {
      this.dropped(key);
      this.waiting.set(key, value);
      return;
    }
    const due = this.dueAt.get(key) ?? now;
    if (now >= due - this.intervalMs / 2) {
      this.dueAt.set(key, Math.max(due, now) + this.intervalMs);
      this.pass(key, value);
      return;
    }
    this.waiting.set(key, value);
    this.wakeAt(due, now);
  }

  /** Forgets what waits. */
  close(): void {
    clearTimeout(this.timer?.handle);
    this.timer = undefined;
    this.waiting.clear();
  }

  private wakeAt(at: number, now: number): void {
    if (this.timer && this.timer.at <= at) return;
    clearTimeout(this.timer?.handle);
    this.timer = { at, handle: setTimeout(() => this.release(), at - now) };
  }

  private release(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [key, value] of this.waiting) {
      const due = this.dueAt.get(key) ?? now;
      // A timer may fire a little early by its own clock; what is due within a millisecond is due.
      if (due - now > 1) {
        this.wakeAt(due, now);
        continue;
      }
      this.waiting.delete(key);
      this.dueAt.set(key, Math.max(due, now) + this.intervalMs);
      this.pass(key, value);
    }
  }
}
