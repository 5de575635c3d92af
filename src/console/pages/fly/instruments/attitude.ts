import type { FrameData } from "../../../live/live";

/** Degrees. Roll is positive to the right, pitch with the nose up. */
export interface Attitude {
  readonly roll: number;
  readonly pitch: number;
}

const DEGREES = 180 / Math.PI;

/** Of a quaternion from the body (x forward, y left, z up) to the world (z up). */
export function attitudeOf({ x, y, z, w }: FrameData<"imu">["orientation"]): Attitude {
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const noseDown = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  return { roll: roll * DEGREES, pitch: -noseDown * DEGREES };
}
