/**
 * How old a stick frame is, without comparing two computers' clocks.
 *
 * Two measures, and a frame must pass both:
 * held:  an upper bound of the time since Redis had it. This connection asks Redis for an echo all the time, on
 *        the very connection that frames come on; what follows an echo came to Redis after the question left us.
 * late:  how much longer than the fastest frame of the same pilot's session this one was under way, from its
 *        `t` to now. The fastest trip itself cannot be known so; it is granted `UNKNOWN_TRIP_MS`.
 */
export const MAX_FRAME_AGE_MS = 300;
const UNKNOWN_TRIP_MS = 100;
const MAX_LATE_MS = MAX_FRAME_AGE_MS - UNKNOWN_TRIP_MS;
/** The first frames of a session may come out of a stall: until none beats the best any more, none counts. */
const SETTLE_MS = 300;
const SETTLE_STEP_MS = 50;
/** Clocks of computers differ in speed: the best trip may grow by this share of the time that passes. */
const DRIFT = 0.0005;
/** The anchor follows faster, or a pilot's fast clock would make its session settle anew every few minutes. */
const ANCHOR_DRIFT = 0.005;
/** Sessions whose clocks are remembered. */
const MOST_SESSIONS = 8;

export type Refusal = "old" | "out_of_order" | "settling";

export interface Verdict {
  /** Undefined when the frame may be acted on. */
  readonly refused?: Refusal;
  /** Milliseconds; the larger of both measures. */
  readonly ageMs: number;
}

interface SessionClock {
  /** Shortest trip, in the difference of the two clocks. */
  best: number;
  /** `best` when the session last had to settle anew, and when that was. */
  anchor: number;
  settlingSince: number;
  judgedAt: number;
  lastT: number;
}

export class Freshness {
  private readonly sessions = new Map<string, SessionClock>();

  /** `askedAt`: when the last echo that came before the frame was asked for. All in milliseconds. */
  judge(frame: { session: string; t: number }, askedAt: number | undefined, now: number): Verdict {
    const clock = this.clockOf(frame.session, now - frame.t, now);
    const inOrder = frame.t > clock.lastT;
    clock.lastT = Math.max(clock.lastT, frame.t);
    const lateMs = late(clock, now - frame.t, now);
    const heldMs = askedAt === undefined ? Number.POSITIVE_INFINITY : now - askedAt;
    const ageMs = Math.max(lateMs, heldMs);
    if (heldMs > MAX_FRAME_AGE_MS || lateMs > MAX_LATE_MS) return { refused: "old", ageMs };
    if (!inOrder) return { refused: "out_of_order", ageMs };
    if (now - clock.settlingSince < SETTLE_MS) return { refused: "settling", ageMs };
    return { ageMs };
  }

  private clockOf(session: string, trip: number, now: number): SessionClock {
    const known = this.sessions.get(session);
    // Taken out and put back, so that the one longest unheard is the first.
    this.sessions.delete(session);
    const clock = known ?? {
      best: trip,
      anchor: trip,
      settlingSince: now,
      judgedAt: now,
      lastT: Number.NEGATIVE_INFINITY,
    };
    this.sessions.set(session, clock);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MOST_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
    return clock;
  }
}

function late(clock: SessionClock, trip: number, now: number): number {
  const elapsedMs = now - clock.judgedAt;
  clock.judgedAt = now;
  clock.best = Math.min(clock.best + elapsedMs * DRIFT, trip);
  if (clock.best < clock.anchor - SETTLE_STEP_MS) {
    clock.anchor = clock.best;
    clock.settlingSince = now;
  }
  clock.anchor = Math.max(clock.best, clock.anchor - elapsedMs * ANCHOR_DRIFT);
  return trip - clock.best;
}
