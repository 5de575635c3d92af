/** A position on the ground, in degrees. */
export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

const metresPerDegree = 111_320;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The position some metres away; exact enough for the few hundred metres of a demonstration. */
export const offset = ({ lat, lng }: LatLng, north: number, east: number): LatLng => ({
  lat: lat + north / metresPerDegree,
  lng: lng + east / (metresPerDegree * Math.cos(radians(lat))),
});

/** Metres over ground. */
export const distance = (from: LatLng, to: LatLng): number =>
  Math.hypot(
    (to.lat - from.lat) * metresPerDegree,
    (to.lng - from.lng) * metresPerDegree * Math.cos(radians(from.lat)),
  );
