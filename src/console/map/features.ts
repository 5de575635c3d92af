import type { Feature, FeatureCollection } from "geojson";

/** Degrees, as the API has them. */
export interface LatLng {
  readonly lat: number;
  readonly lng: number;
}

type Properties = Readonly<Record<string, string | number | boolean | null>>;

/** As GeoJSON and MapLibre have it. */
export const lngLat = ({ lat, lng }: LatLng): [lng: number, lat: number] => [lng, lat];

export const pointFeature = (position: LatLng, properties: Properties = {}): Feature => ({
  type: "Feature",
  properties,
  geometry: { type: "Point", coordinates: lngLat(position) },
});

export const lineFeature = (positions: readonly LatLng[], properties: Properties = {}): Feature => ({
  type: "Feature",
  properties,
  geometry: { type: "LineString", coordinates: positions.map(lngLat) },
});

/** The corners without the first one again. */
export const polygonFeature = (corners: readonly LatLng[], properties: Properties = {}): Feature => ({
  type: "Feature",
  properties,
  geometry: { type: "Polygon", coordinates: [[...corners, ...corners.slice(0, 1)].map(lngLat)] },
});

export const collection = (features: Feature[]): FeatureCollection => ({
  type: "FeatureCollection",
  features,
});

const METRES_PER_DEGREE = 111_320;
const CORNERS_OF_CIRCLE = 64;

/** The position so many metres north and east of another. */
export const offset = ({ lat, lng }: LatLng, north: number, east: number): LatLng => ({
  lat: lat + north / METRES_PER_DEGREE,
  lng: lng + east / (METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180)),
});

/** Corners of a circle of so many metres. */
export const circle = (middle: LatLng, radius: number): LatLng[] =>
  Array.from({ length: CORNERS_OF_CIRCLE }, (_, at) => {
    const angle = (2 * Math.PI * at) / CORNERS_OF_CIRCLE;
    return offset(middle, radius * Math.cos(angle), radius * Math.sin(angle));
  });

/** Metres between two positions. */
export function metresBetween(a: LatLng, b: LatLng): number {
  const radians = Math.PI / 180;
  const [dLat, dLng] = [(b.lat - a.lat) * radians, (b.lng - a.lng) * radians];
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(dLng / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(h)));
}
