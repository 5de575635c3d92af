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

/** Ray casting on the plane of latitude and longitude. */
export function insidePolygon(point: LatLng, vertices: readonly LatLng[]): boolean {
  let inside = false;
  for (let i = 0, j = vertices.length - 1; i < vertices.length; j = i++) {
    const a = vertices[i]!;
    const b = vertices[j]!;
    const crosses = a.lng > point.lng !== b.lng > point.lng;
    if (crosses && point.lat < ((b.lat - a.lat) * (point.lng - a.lng)) / (b.lng - a.lng) + a.lat) {
      inside = !inside;
    }
  }
  return inside;
}
