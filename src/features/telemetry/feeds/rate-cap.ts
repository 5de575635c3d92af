interface Waiting<Value> {
  value: Value;
  readonly timer: NodeJS.Timeout;
}

/**
 * Passes at most `maxHz` values a second for each key, and delays no value longer than needed.
 *
 * A value passes at once when it is due, and one interval before: of a stream at exactly this rate none is dropped when
 * one comes late by that much. An earlier one waits, and the next value replaces it: the newest counts. A waiting value
 * passes an interval later than it first could have: otherwise a stream at exactly this rate that was late once would stay
 * late.
 */
export class RateCap<Key, Value> {
  private readonly intervalMs: number;
  private readonly dueAt = new Map<Key, number>();
  private readonly waiting = new Map<Key, Waiting<Value>>();

  constructor(
    maxHz: number,
    private readonly pass: (key: Key, value: Value) => void,
    private readonly dropped: (key: Key) => void,
  ) {
    this.intervalMs = 1000 / maxHz;
  }

  /** `now` in milliseconds of the monotonic clock. */
  offer(key: Key, value: Value, now: number): void {
    const waiting = this.waiting.get(key);
    if (waiting) this.dropped(key);
    const due = this.dueAt.get(key) ?? now;
    if (now >= due - this.intervalMs) {
      clearTimeout(waiting?.timer);
      this.passNow(key, value, now);
    } else if (waiting) {
      waiting.value = value;
    } else {
      const timer = setTimeout(() => this.release(key), due - now);
      this.waiting.set(key, { value, timer });
    }
  }

  /** Drops the waiting values. */
  close(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  private passNow(key: Key, value: Value, now: number): void {
    this.waiting.delete(key);
    this.dueAt.set(key, Math.max(this.dueAt.get(key) ?? now, now) + this.intervalMs);
    this.pass(key, value);
  }

  private release(key: Key): void {
    const waiting = this.waiting.get(key);
    if (waiting) this.passNow(key, waiting.value, performance.now());
  }
}
