const EARTH_RADIUS_M = 6_378_137;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;

interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

/** The place so many metres north and east; flat-earth, good to centimetres within a few kilometres. */
export const offsetBy = ({ lat, lng }: LatLng, north: number, east: number): LatLng => ({
  lat: lat + degrees(north / EARTH_RADIUS_M),
  lng: lng + degrees(east / (EARTH_RADIUS_M * Math.cos(radians(lat)))),
});

/** Metres north and east from one place to another. */
export const offsetBetween = (from: LatLng, to: LatLng): { north: number; east: number } => ({
  north: radians(to.lat - from.lat) * EARTH_RADIUS_M,
  east: radians(to.lng - from.lng) * EARTH_RADIUS_M * Math.cos(radians(from.lat)),
});

/** Metres between two places near each other. */
export const distance = (from: LatLng, to: LatLng): number => {
  const { north, east } = offsetBetween(from, to);
  return Math.hypot(north, east);
};
