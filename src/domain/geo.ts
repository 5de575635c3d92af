/** Degrees. */
export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

/** Metres in a degree of latitude, as ArduPilot scales it (LOCATION_SCALING_FACTOR). */
export const METRES_PER_DEGREE = 111_318.845;

export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Metres from one position to another; flat-earth, exact enough for the tens of kilometres that a small vehicle travels. */
export const offsetBetween = (from: LatLng, to: LatLng): { north: number; east: number } => ({
  north: (to.lat - from.lat) * METRES_PER_DEGREE,
  east: (to.lng - from.lng) * METRES_PER_DEGREE * Math.cos(toRadians(from.lat)),
});

/** The position so many metres north and east; flat-earth. */
export const offsetBy = ({ lat, lng }: LatLng, north: number, east: number): LatLng => ({
  lat: lat + north / METRES_PER_DEGREE,
  lng: lng + east / (METRES_PER_DEGREE * Math.cos(toRadians(lat))),
});

/** Metres between two positions near each other. */
export const distance = (from: LatLng, to: LatLng): number => {
  const { north, east } = offsetBetween(from, to);
  return Math.hypot(north, east);
};

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
