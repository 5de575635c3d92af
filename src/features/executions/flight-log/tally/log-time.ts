/** Seconds by which one message may be earlier than the one before it: several sources write one log. */
const DISORDER = 2;
/** Seconds of silence after which a time is believed only when the next one agrees with it. */
const LONGEST_SILENCE = 120;

/**
 * A log's own time, which only goes forward. A single damaged timestamp is refused; two that agree are a gap,
 * or, when they are earlier, a restart, from which time goes on.
 */
export class LogTime {
  /** Seconds since the first message. */
  elapsed = 0;
  private latest: number | undefined;
  private doubtful: number | undefined;
  private believed = 0;

  /** The raw time of the current message. */
  get now(): number {
    return this.latest ?? 0;
  }

  /** Seconds that have passed since the message before, or undefined when this one's time is not credible. */
  move(to: number): number | undefined {
    if (!Number.isFinite(to)) return undefined;
    this.latest ??= to;
    const step = to - this.latest;
    if (step < -DISORDER || step > LONGEST_SILENCE) return this.doubt(to, step);
    this.doubtful = undefined;
    this.believed++;
    return this.advance(Math.max(0, step), Math.max(to, this.latest));
  }

  private doubt(to: number, step: number): number | undefined {
    const agrees = this.doubtful !== undefined && Math.abs(to - this.doubtful) <= DISORDER;
    this.doubtful = to;
    if (!agrees) return undefined;
    this.doubtful = undefined;
    // When nothing was believed before but the first message, it was the first that was wrong.
    return this.advance(this.believed > 1 ? Math.max(0, step) : 0, to);
  }

  private advance(step: number, to: number): number {
    this.elapsed += step;
    this.latest = to;
    return step;
  }
}
