/** The values of SITL's radio without input. A copter's throttle stick rests at the bottom. */
const IDLE_CHANNELS: readonly number[] = [1500, 1500, 1500, 1500, 1800, 1000, 1000, 1800];
const THROTTLE = 2;
/** Wire value that gives a channel back to the radio, and the one that leaves it as it is. */
const RELEASE = 0;
const UNCHANGED = 65_535;

/** Each from -1 to 1: right, forward (nose down), up, clockwise. */
export interface Sticks {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}

/**
 * The pilot's radio, and the overrides that a ground station lays over its channels. An override that is not
 * repeated in time (RC_OVERRIDE_TIME) falls back to the radio.
 */
export class Pilot {
  private readonly overrides: { value: number; until: number }[] = [];
  private readonly idle: readonly number[];

  /** `idleThrottle` in microseconds: where the throttle stick rests. */
  constructor(idleThrottle: number) {
    this.idle = IDLE_CHANNELS.with(THROTTLE, idleThrottle);
  }

  /** RC_CHANNELS_OVERRIDE: microseconds for channels from 1; 0 releases, 65535 leaves alone. */
  override(channels: readonly number[], now: number, seconds: number): void {
    // A negative RC_OVERRIDE_TIME means that overrides last.
    const until = seconds < 0 ? Number.POSITIVE_INFINITY : now + seconds * 1000;
    channels.forEach((value, at) => {
      if (value === UNCHANGED) return;
      if (value === RELEASE) delete this.overrides[at];
      else this.overrides[at] = { value, until };
    });
  }

  /** MANUAL_CONTROL: pitch, roll and yaw from -1000 to 1000, throttle from 0 to 1000; 32767 is not given. */
  manual(x: number, y: number, z: number, r: number, now: number, seconds: number): void {
    const axis = (value: number): number => (Math.abs(value) > 1000 ? UNCHANGED : 1500 + value / 2);
    const throttle = z < 0 || z > 1000 ? UNCHANGED : 1000 + z;
    this.override([axis(y), axis(-x), throttle, axis(r)], now, seconds);
  }

  /** Eight channels in microseconds. */
  channels(now: number): number[] {
    return this.idle.map((idle, at) => {
      const override = this.overrides[at];
      return override && override.until > now ? override.value : idle;
    });
  }

  sticks(now: number): Sticks {
    const [roll = 1500, pitch = 1500, throttle = 1000, yaw = 1500] = this.channels(now);
    return { roll: unit(roll), pitch: -unit(pitch), throttle: unit(throttle), yaw: unit(yaw) };
  }
}

const unit = (microseconds: number): number => Math.min(1, Math.max(-1, (microseconds - 1500) / 500));
