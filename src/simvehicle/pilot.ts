/** Each from -1 to 1: right, forward (nose down), up, clockwise. */
export interface Sticks {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}

/**
 * The pilot's sticks. Those that a ground station sends replace the radio's, and fall back to them when they are not
 * repeated in time (RC_OVERRIDE_TIME).
 */
export class Pilot {
  private readonly radio: Sticks;
  private sent: { readonly sticks: Sticks; readonly until: number } | undefined;

  /** Where the radio's throttle stick rests; a copter's at the bottom. */
  constructor(idleThrottle: number) {
    this.radio = { roll: 0, pitch: 0, throttle: idleThrottle, yaw: 0 };
  }

  /** Those of a ground station, at `now` in milliseconds. A negative time means that they last. */
  steer(sticks: Sticks, now: number, seconds: number): void {
    this.sent = { sticks, until: seconds < 0 ? Number.POSITIVE_INFINITY : now + seconds * 1000 };
  }

  /** Whether a ground station has steered, and does so no more. */
  isSilent(now: number): boolean {
    return this.sent !== undefined && this.sent.until <= now;
  }

  sticks(now: number): Sticks {
    return this.sent && this.sent.until > now ? this.sent.sticks : this.radio;
  }
}
