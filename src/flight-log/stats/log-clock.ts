/** Seconds by which one message may be earlier than the one before it: several sources write one log. */
export const MAX_BACKWARD_SECONDS = 2;
/** Seconds. After a longer gap a time is accepted only when the next one agrees with it. */
const LONGEST_GAP = 120;

/**
 * A log's own time, which only goes forward. A single damaged timestamp is refused. Two that agree are a gap in the log
 * or, when they are earlier, a restart of the vehicle.
 */
export class LogClock {
  /** Seconds since the first message. */
  elapsed = 0;
  // NaN and no undefined: it is compared for every message of a log.
  private latest = Number.NaN;
  private suspect = Number.NaN;
  private accepted = 0;

  /** Seconds that have passed since the message before, or undefined when this one's time is not credible. */
  move(to: number): number | undefined {
    const step = to - this.latest;
    if (step >= 0 && step <= LONGEST_GAP) return this.accept(step, to);
    if (!Number.isFinite(to)) return undefined;
    if (Number.isNaN(step)) return this.accept(0, to);
    // It is a little earlier, as it is where several sources write one log.
    if (step < 0 && step >= -MAX_BACKWARD_SECONDS) return this.accept(0, this.latest);
    return this.suspectTime(to, step);
  }

  private suspectTime(to: number, step: number): number | undefined {
    const agrees = Math.abs(to - this.suspect) <= MAX_BACKWARD_SECONDS;
    this.suspect = to;
    if (!agrees) return undefined;
    this.suspect = Number.NaN;
    // When only the first message was accepted before, the first one was wrong.
    return this.advance(this.accepted > 1 ? Math.max(0, step) : 0, to);
  }

  private accept(step: number, to: number): number {
    this.suspect = Number.NaN;
    this.accepted++;
    return this.advance(step, to);
  }

  private advance(step: number, to: number): number {
    this.elapsed += step;
    this.latest = to;
    return step;
  }
}
