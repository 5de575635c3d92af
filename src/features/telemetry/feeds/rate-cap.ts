/**
 * Passes at most `maxHz` values a second for each key, and never makes a value older than it has to be.
 *
 * A value passes at once when its turn has come; half an interval of jitter is let through. One that comes
 * earlier waits, and whatever comes next takes its place: the newest counts, the older one is dropped. It is
 * released only when nothing newer has come half an interval after its turn. To release it at its turn
 * would be worse: a stream at just this rate that was late once would be late by as much ever after.
 */
export class RateCap<Key, Value> {
  private readonly intervalMs: number;
  private readonly dueAt = new Map<Key, number>();
  private readonly waiting = new Map<Key, { readonly value: Value; readonly until: number }>();
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
    if (this.waiting.delete(key)) this.dropped(key);
    const due = this.dueAt.get(key) ?? now;
    if (now >= due - this.intervalMs / 2) {
      this.passNow(key, value, now);
      return;
    }
    const until = due + this.intervalMs / 2;
    this.waiting.set(key, { value, until });
    this.wakeAt(until, now);
  }

  /** Forgets what waits. */
  close(): void {
    clearTimeout(this.timer?.handle);
    this.timer = undefined;
    this.waiting.clear();
  }

  private passNow(key: Key, value: Value, now: number): void {
    this.dueAt.set(key, Math.max(this.dueAt.get(key) ?? now, now) + this.intervalMs);
    this.pass(key, value);
  }

  private wakeAt(at: number, now: number): void {
    if (this.timer && this.timer.at <= at) return;
    clearTimeout(this.timer?.handle);
    this.timer = { at, handle: setTimeout(() => this.release(), at - now) };
  }

  private release(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [key, { value, until }] of this.waiting) {
      // A timer may fire a little early by its own clock; what is due within a millisecond is due.
      if (until - now > 1) {
        this.wakeAt(until, now);
        continue;
      }
      this.waiting.delete(key);
      this.passNow(key, value, now);
    }
  }
}
