import type { LatLng } from "../domain/geo";

/** Degrees, and metres above mean sea level. */
export interface GlobalPosition extends LatLng {
  readonly altitude: number;
}

/** Radians in [-π, π). */
export function wrapPi(angle: number): number {
  const turned = (angle + Math.PI) % (2 * Math.PI);
  return turned < 0 ? turned + Math.PI : turned - Math.PI;
}

/** Compass degrees in [0, 360) of an angle in radians. */
export function toHeading(angle: number): number {
  const degrees = (angle * 180) / Math.PI;
  return ((degrees % 360) + 360) % 360;
}
