import type { Imu } from "../../../vehicle/telemetry-messages";

/** An older heading no longer says where the nose points. */
const STALE_MS = 2_000;

const wrapped = (degrees: number): number => ((degrees % 360) + 360) % 360;

/**
 * Compass heading, degrees in [0, 360), of an orientation in ROS conventions: the body's x axis points
 * forward, the world is ENU, so yaw 0 looks east, which is 90 on a compass. Undefined for a quaternion of
 * no length.
 */
export function compassHeading({ x, y, z, w }: Imu["orientation"]): number | undefined {
  const length = x * x + y * y + z * z + w * w;
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  const enuYaw = Math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z);
  return wrapped(90 - (enuYaw * 180) / Math.PI);
}

/** Where one drone's nose points: the HUD's heading first, otherwise the IMU's. */
export class YawEstimate {
  private hud: { heading: number; at: number } | undefined;
  private imu: { orientation: Imu["orientation"]; at: number } | undefined;

  sawHeading(heading: number, at: number): void {
    if (Number.isFinite(heading)) this.hud = { heading, at };
  }

  sawOrientation(orientation: Imu["orientation"], at: number): void {
    this.imu = { orientation, at };
  }

  /** Compass degrees; undefined without a recent heading of either. Times in milliseconds. */
  at(now: number): number | undefined {
    if (this.hud && now - this.hud.at <= STALE_MS) return wrapped(this.hud.heading);
    if (this.imu && now - this.imu.at <= STALE_MS) return compassHeading(this.imu.orientation);
    return undefined;
  }
}
