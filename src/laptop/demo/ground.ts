/** A place on the ground, in degrees. */
export interface Place {
  readonly lat: number;
  readonly lng: number;
}

const metresPerDegree = 111_320;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The place some metres away; exact enough for the few hundred metres of a demonstration. */
export const offset = ({ lat, lng }: Place, north: number, east: number): Place => ({
  lat: lat + north / metresPerDegree,
  lng: lng + east / (metresPerDegree * Math.cos(radians(lat))),
});

/** Metres over ground. */
export const distance = (from: Place, to: Place): number =>
  Math.hypot(
    (to.lat - from.lat) * metresPerDegree,
    (to.lng - from.lng) * metresPerDegree * Math.cos(radians(from.lat)),
  );
