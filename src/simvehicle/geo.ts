/** Degrees. */
export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

/** Degrees, and metres above mean sea level. */
export interface GlobalPosition extends LatLng {
  readonly altitude: number;
}

/** Metres north and east of an origin. */
export interface Offset {
  readonly n: number;
  readonly e: number;
}

/** Metres in a degree of latitude, as ArduPilot scales it (LOCATION_SCALING_FACTOR). */
const METRES_PER_DEGREE = 111_318.845;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Flat-earth offset: exact enough for the tens of kilometres that a small vehicle travels. */
export function offsetBetween(origin: LatLng, point: LatLng): Offset {
  return {
    n: (point.lat - origin.lat) * METRES_PER_DEGREE,
    e: (point.lng - origin.lng) * METRES_PER_DEGREE * Math.cos(toRadians(origin.lat)),
  };
}

export function offsetBy(origin: LatLng, { n, e }: Offset): LatLng {
  return {
    lat: origin.lat + n / METRES_PER_DEGREE,
    lng: origin.lng + e / (METRES_PER_DEGREE * Math.cos(toRadians(origin.lat))),
  };
}

export function distance(a: LatLng, b: LatLng): number {
  const { n, e } = offsetBetween(a, b);
  return Math.hypot(n, e);
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
