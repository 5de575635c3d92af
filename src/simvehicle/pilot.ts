/** Each from -1 to 1: right, forward (nose down), up, clockwise. */
export interface Sticks {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}

/** PX4 takes a stick that moves by as much for a pilot's hand (COM_RC_STICK_OV), and remembers it for a moment. */
const MOVED = 0.3;
const MOVED_MS = 300;

/**
 * The pilot's sticks. Those that a ground station sends replace the radio's, and fall back to them when they are not
 * repeated in time (RC_OVERRIDE_TIME).
 */
export class Pilot {
  private readonly radio: Sticks;
  private movedAt = Number.NEGATIVE_INFINITY;
  private sent: { readonly sticks: Sticks; readonly until: number } | undefined;

  /** Where the radio's throttle stick rests; a copter's at the bottom. */
  constructor(idleThrottle: number) {
    this.radio = { roll: 0, pitch: 0, throttle: idleThrottle, yaw: 0 };
  }

  /** Those of a ground station, at `now` in milliseconds. A negative time means that they last. */
  steer(sticks: Sticks, now: number, seconds: number): void {
    const { sticks: before = sticks } = this.sent ?? {};
    const axes = Object.keys(sticks) as (keyof Sticks)[];
    if (axes.some((axis) => Math.abs(sticks[axis] - before[axis]) > MOVED)) this.movedAt = now;
    this.sent = { sticks, until: seconds < 0 ? Number.POSITIVE_INFINITY : now + seconds * 1000 };
  }

  /** Whether a ground station's stick moved just now. */
  isMoving(now: number): boolean {
    return now - this.movedAt < MOVED_MS;
  }

  /** Whether a ground station has steered, and does so no more. */
  isSilent(now: number): boolean {
    return this.sent !== undefined && this.sent.until <= now;
  }

  sticks(now: number): Sticks {
    return this.sent && this.sent.until > now ? this.sent.sticks : this.radio;
  }
}
