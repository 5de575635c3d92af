import { LRUCache } from "lru-cache";

/**
 * The age of a stick frame, without comparing two computers' clocks. Each of two measures has a limit:
 * held: an upper bound of the time since Redis received it. Pings are sent on the connection that frames come on; a
 *       frame behind a pong reached Redis after that ping was sent.
 * late: how much longer than the fastest frame of its session it travelled, from its `t` to now. The fastest trip itself
 *       cannot be measured so; `UNKNOWN_TRIP_MS` is allowed for it.
 */
export const MAX_FRAME_AGE_MS = 300;
const UNKNOWN_TRIP_MS = 100;
const MAX_LATE_MS = MAX_FRAME_AGE_MS - UNKNOWN_TRIP_MS;
/** The first frames of a session may come out of a stall: they are refused while the best trip still improves. */
const SETTLE_MS = 300;
const SETTLE_STEP_MS = 50;
/** Computers' clocks drift: the best trip may grow by this share of the time that passes. */
const DRIFT = 0.0005;
/** The anchor follows faster, or a fast clock of a pilot would make its session settle again every few minutes. */
const ANCHOR_DRIFT = 0.005;
/** Sessions whose clocks are kept. */
const MAX_SESSIONS = 8;

type FrameRejectionReason = "old" | "out_of_order" | "settling";

interface FrameCheck {
  /** Undefined for an accepted frame. */
  readonly refused?: FrameRejectionReason;
  /** Milliseconds; the larger of both measures. */
  readonly ageMs: number;
}

interface SessionClock {
  /** Shortest trip, in the difference of the two clocks. */
  best: number;
  /** `best` when the session last began to settle, and when that was. */
  anchor: number;
  settlingSince: number;
  checkedAt: number;
  lastT: number;
}

export class FrameAge {
  private readonly sessions = new LRUCache<string, SessionClock>({ max: MAX_SESSIONS });

  /** `pingSentAt`: when the ping was sent whose pong came last before the frame. All in milliseconds. */
  check(frame: { session: string; t: number }, pingSentAt: number | undefined, now: number): FrameCheck {
    const clock = this.clockOf(frame.session, now - frame.t, now);
    const inOrder = frame.t > clock.lastT;
    clock.lastT = Math.max(clock.lastT, frame.t);
    const lateMs = late(clock, now - frame.t, now);
    const heldMs = pingSentAt === undefined ? Number.POSITIVE_INFINITY : now - pingSentAt;
    const ageMs = Math.max(lateMs, heldMs);
    if (heldMs > MAX_FRAME_AGE_MS || lateMs > MAX_LATE_MS) return { refused: "old", ageMs };
    if (!inOrder) return { refused: "out_of_order", ageMs };
    if (now - clock.settlingSince < SETTLE_MS) return { refused: "settling", ageMs };
    return { ageMs };
  }

  private clockOf(session: string, trip: number, now: number): SessionClock {
    const known = this.sessions.get(session);
    if (known) return known;
    const clock = {
      best: trip,
      anchor: trip,
      settlingSince: now,
      checkedAt: now,
      lastT: Number.NEGATIVE_INFINITY,
    };
    this.sessions.set(session, clock);
    return clock;
  }
}

function late(clock: SessionClock, trip: number, now: number): number {
  const elapsedMs = now - clock.checkedAt;
  clock.checkedAt = now;
  clock.best = Math.min(clock.best + elapsedMs * DRIFT, trip);
  if (clock.best < clock.anchor - SETTLE_STEP_MS) {
    clock.anchor = clock.best;
    clock.settlingSince = now;
  }
  clock.anchor = Math.max(clock.best, clock.anchor - elapsedMs * ANCHOR_DRIFT);
  return trip - clock.best;
}
