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
  // Not a number while there is none: this is asked for every message of a log.
  private latest = Number.NaN;
  private doubtful = Number.NaN;
  private believed = 0;

  /** Seconds that have passed since the message before, or undefined when this one's time is not credible. */
  move(to: number): number | undefined {
    const step = to - this.latest;
    if (step >= 0 && step <= LONGEST_SILENCE) return this.believe(step, to);
    if (!Number.isFinite(to)) return undefined;
    if (Number.isNaN(step)) return this.believe(0, to);
    // It is a little earlier, as it is where several sources write one log.
    if (step < 0 && step >= -DISORDER) return this.believe(0, this.latest);
    return this.doubt(to, step);
  }

  private doubt(to: number, step: number): number | undefined {
    const agrees = Math.abs(to - this.doubtful) <= DISORDER;
    this.doubtful = to;
    if (!agrees) return undefined;
    this.doubtful = Number.NaN;
    // When nothing was believed before but the first message, it was the first that was wrong.
    return this.advance(this.believed > 1 ? Math.max(0, step) : 0, to);
  }

  private believe(step: number, to: number): number {
    this.doubtful = Number.NaN;
    this.believed++;
    return this.advance(step, to);
  }

  private advance(step: number, to: number): number {
    this.elapsed += step;
    this.latest = to;
    return step;
  }
}
