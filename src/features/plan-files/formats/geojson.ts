import { PLAN_LIMITS } from "../../plans";
import type { GeoFeature, GeoFile, Position } from "./geo-features";
import { type LeftOutList, refuseFile } from "./plan-file";

/** GeoJSON (RFC 7946). Heights are metres above home, where a feature has no `frame`. */

type Json = Readonly<Record<string, unknown>>;

const GEOMETRIES = ["Point", "LineString", "Polygon"] as const;
/** Geometries whose coordinates are a list of those of another one. */
const MULTIPLE: Readonly<Record<string, string>> = {
  MultiPoint: "Point",
  MultiLineString: "LineString",
  MultiPolygon: "Polygon",
};

export const GEOJSON_TYPES: ReadonlySet<unknown> = new Set([
  ...["FeatureCollection", "Feature", "GeometryCollection"],
  ...GEOMETRIES,
  ...Object.keys(MULTIPLE),
]);

/** Throws `invalid_input` with the feature. */
export function readGeoJson(json: unknown, leftOut: LeftOutList): GeoFile {
  const file = objectOf(json, "file");
  checkReferenceSystem(file);
  const features = file.type === "FeatureCollection" ? listOf(file.features, "features") : [file];
  return {
    name: typeof file.name === "string" ? file.name : undefined,
    features: features.flatMap((feature, index) => featuresOf(feature, `feature ${index + 1}`, leftOut)),
  };
}

/** RFC 7946 has WGS 84 only. Files of the format of 2008 may name another system. */
function checkReferenceSystem({ crs }: Json): void {
  if (crs == null) return;
  const { name } = objectOf(objectOf(crs, "crs").properties, "crs");
  if (typeof name !== "string" || !/(CRS84|EPSG:+4326)$/.test(name))
    refuseFile("crs", "coordinates must be in WGS 84 (CRS84)");
}

function featuresOf(value: unknown, at: string, leftOut: LeftOutList): GeoFeature[] {
  const feature = objectOf(value, at);
  if (feature.type !== "Feature") return geometriesOf(feature, at, {}, leftOut);
  if (feature.geometry === null) {
    leftOut.add(at, "feature", "It has no geometry.");
    return [];
  }
  const properties = feature.properties == null ? {} : objectOf(feature.properties, at);
  return geometriesOf(objectOf(feature.geometry, at), at, properties, leftOut);
}

function geometriesOf(geometry: Json, at: string, properties: Json, leftOut: LeftOutList): GeoFeature[] {
  const { type } = geometry;
  if (type === "GeometryCollection")
    return listOf(geometry.geometries, at).flatMap((one) =>
      geometriesOf(objectOf(one, at), at, properties, leftOut),
    );
  const single = MULTIPLE[String(type)];
  if (single)
    return listOf(geometry.coordinates, at).flatMap((coordinates) =>
      geometriesOf({ type: single, coordinates }, at, properties, leftOut),
    );
  const known = GEOMETRIES.find((name) => name === type);
  if (!known) refuseFile(at, "type must be a feature or a geometry of RFC 7946");
  const { name } = properties;
  const label = typeof name === "string" ? name : undefined;
  return [
    { at, ...coordinatesOf(known, geometry.coordinates, at), heights: "home", name: label, properties },
  ];
}

function coordinatesOf(geometry: GeoFeature["geometry"], coordinates: unknown, at: string) {
  if (geometry === "Point") return { geometry, positions: [positionOf(coordinates, at)], holes: 0 };
  if (geometry === "LineString") return { geometry, positions: positionsOf(coordinates, at), holes: 0 };
  const rings = listOf(coordinates, at);
  if (rings.length === 0) refuseFile(at, "the polygon has no ring");
  return { geometry, positions: positionsOf(rings[0], at), holes: rings.length - 1 };
}

function positionsOf(value: unknown, at: string): Position[] {
  const list = listOf(value, at);
  if (list.length > PLAN_LIMITS.pointsOfPlan + 1)
    refuseFile(at, `has more than ${PLAN_LIMITS.pointsOfPlan} points`);
  return list.map((one, index) => positionOf(one, `${at}, point ${index + 1}`));
}

function positionOf(value: unknown, at: string): Position {
  const numbers = listOf(value, at).slice(0, 3);
  if (numbers.length < 2 || !numbers.every(Number.isFinite))
    refuseFile(at, "a position must be [longitude, latitude] or [longitude, latitude, height]");
  return numbers as unknown as Position;
}

function objectOf(value: unknown, at: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuseFile(at, "must be a JSON object");
  return value as Json;
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) refuseFile(at, "must have an array there");
  return value;
}

export function writeGeoJson(name: string, features: readonly GeoFeature[]): string {
  return JSON.stringify({
    type: "FeatureCollection",
    name,
    features: features.map(({ geometry, positions, name: label, properties }) => ({
      type: "Feature",
      geometry: { type: geometry, coordinates: coordinatesFor(geometry, positions) },
      properties: { ...(label === undefined ? {} : { name: label }), ...properties },
    })),
  });
}

function coordinatesFor(geometry: GeoFeature["geometry"], positions: readonly Position[]): unknown {
  if (geometry === "Point") return positions[0];
  return geometry === "Polygon" ? [positions] : positions;
}
