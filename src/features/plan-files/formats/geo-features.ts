import { z } from "zod";
import type { Geofence } from "../../geofences";
import type { Mission } from "../../missions";
import { LABEL_LENGTH, PLAN_LIMITS } from "../../plans";
import { withJumps } from "./items";
import {
  type LeftOutList,
  type ReadGeofence,
  type ReadGeofences,
  type ReadMission,
  type ReadWaypoint,
  refuseFile,
  type Waypoint,
} from "./plan-file";

/** What KML and GeoJSON have in common: geometries with properties. */

/** Longitude and latitude in degrees, and metres. */
export type Position = readonly [lng: number, lat: number, height?: number];

export interface GeoFeature {
  readonly at: string;
  readonly geometry: "Point" | "LineString" | "Polygon";
  /** One position of a point, those of a line, or the outer ring. */
  readonly positions: readonly Position[];
  /** Inner rings of a polygon. */
  readonly holes: number;
  /** What its heights are above: home, the sea, or nothing, when they are on the ground. */
  readonly heights: "home" | "sea" | "ground";
  readonly name: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface GeoFile {
  readonly name: string | undefined;
  readonly features: readonly GeoFeature[];
}

const [GLOBAL, GLOBAL_RELATIVE_ALT] = [0, 3];

/** The columns that an export writes as properties, beside the position and the label. */
const COLUMNS = [
  ...["command", "frame", "param1", "param2", "param3", "param4"],
  ...["type", "is_current", "autocontinue"],
] as const;

const PLAIN = {
  ...{ command: 16, param1: 0, param2: 0, param3: 0, param4: 0 },
  ...{ type: "fly", label: null, is_current: false, autocontinue: true },
} as const;

/** Throws `invalid_input` with the feature. `altitude` is in metres above home, for positions without a height. */
export function missionOf(file: GeoFile, altitude: number | undefined, leftOut: LeftOutList): ReadMission {
  const points: ReadWaypoint[] = [];
  for (const feature of file.features) {
    if (feature.geometry === "Polygon") {
      leftOut.add(feature.at, "polygon", "It is no waypoint. Import the file as geofences too.");
      continue;
    }
    if (points.length + feature.positions.length > PLAN_LIMITS.pointsOfPlan)
      refuseFile(feature.at, `the mission has more than ${PLAN_LIMITS.pointsOfPlan} points`);
    if (feature.heights === "ground")
      leftOut.add(feature.at, "height", "It lies on the ground; the parameter altitude is its height.");
    feature.positions.forEach((position, index) => {
      const isLine = feature.geometry === "LineString";
      points.push(waypointOf(feature, position, isLine ? index : undefined, altitude, leftOut));
    });
  }
  const places = new Map(points.map((_, index) => [index + 1, index + 1]));
  return { name: file.name, points: withJumps(points, places) };
}

function waypointOf(
  feature: GeoFeature,
  [lng, lat, written]: Position,
  index: number | undefined,
  altitude: number | undefined,
  leftOut: LeftOutList,
): ReadWaypoint {
  const at = index === undefined ? feature.at : `${feature.at}, point ${index + 1}`;
  const height = feature.heights === "ground" ? undefined : written;
  const used = height ?? altitude;
  if (used === undefined)
    refuseFile(at, "has no height; give one by the query parameter altitude, in metres above home");
  const isAbsolute = height !== undefined && feature.heights === "sea";
  const frame = isAbsolute ? GLOBAL : GLOBAL_RELATIVE_ALT;
  const columns = index === undefined ? columnsOf(feature) : {};
  const point = {
    ...{ lat, lng, altitude: used },
    ...PLAIN,
    ...(index === undefined ? { label: labelOf(feature, leftOut) } : {}),
    frame,
    ...columns,
    ...(height === undefined ? { frame: GLOBAL_RELATIVE_ALT } : {}),
  };
  return { at, point: point as Waypoint };
}

/** The columns of a waypoint that an export wrote. Properties of other programs are not taken for them. */
function columnsOf({ properties }: GeoFeature): object {
  if (typeof properties.command !== "number") return {};
  const given = COLUMNS.filter((column) => properties[column] !== undefined);
  return Object.fromEntries(given.map((column) => [column, properties[column]]));
}

function labelOf({ at, name, properties }: GeoFeature, leftOut: LeftOutList): string | null {
  const text = typeof properties.label === "string" ? properties.label : name;
  if (text === undefined) return null;
  if (text.length > LABEL_LENGTH)
    leftOut.add(at, "name", `A label has ${LABEL_LENGTH} characters; the rest is cut.`);
  // Half a character, such as a cut leaves, cannot be stored.
  return Buffer.from(text.slice(0, LABEL_LENGTH)).toString();
}

const FenceColumns = z.object({
  fence_type: z.enum(["inclusion", "exclusion"]).optional(),
  enabled: z.boolean().optional(),
});

/** Throws `invalid_input` with the feature. */
export function geofencesOf(file: GeoFile, leftOut: LeftOutList): ReadGeofences {
  const geofences: ReadGeofence[] = [];
  for (const feature of file.features) {
    const { at, geometry, positions, holes, properties } = feature;
    const { radius } = properties;
    const isCircle = geometry === "Point" && typeof radius === "number";
    if (!isCircle && geometry !== "Polygon") {
      leftOut.add(at, geometry, "A geofence is a polygon, or a point with the property radius in metres.");
      continue;
    }
    const columns = FenceColumns.safeParse(properties);
    if (!columns.success)
      refuseFile(at, "fence_type must be inclusion or exclusion, and enabled true or false");
    if (holes > 0) leftOut.add(at, `${holes} inner rings`, "A geofence has no holes.");
    geofences.push({
      at,
      ...columns.data,
      ...(isCircle ? { type: "circle", radius } : { type: "polygon" }),
      points: vertices(positions, isCircle),
    });
    if (geofences.length > PLAN_LIMITS.plans)
      refuseFile(at, `the file has more than ${PLAN_LIMITS.plans} geofences`);
  }
  return { name: file.name, geofences };
}

/** A ring ends with its first position again. */
function vertices(positions: readonly Position[], isCircle: boolean) {
  const [first, last] = [positions[0], positions.at(-1)];
  const isClosed = !isCircle && positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  return (isClosed ? positions.slice(0, -1) : positions).map(([lng, lat]) => ({
    lat,
    lng,
    frame: GLOBAL_RELATIVE_ALT,
  }));
}

/** The waypoints as points, with all columns that their positions do not say. */
export const featuresOfMission = ({ mission_points }: Mission): GeoFeature[] =>
  mission_points.map((point, index) => ({
    at: `feature ${index + 1}`,
    geometry: "Point",
    positions: [[point.lng, point.lat, point.altitude]],
    ...{ holes: 0, heights: point.frame === GLOBAL ? "sea" : "home", name: point.label ?? undefined },
    properties: Object.fromEntries(COLUMNS.map((column) => [column, point[column]])),
  }));

/** The waypoint with those properties that an import would not put there by itself. */
export function withoutDefaults(feature: GeoFeature): GeoFeature {
  const usual: Readonly<Record<string, unknown>> = {
    ...PLAIN,
    frame: feature.heights === "sea" ? GLOBAL : GLOBAL_RELATIVE_ALT,
  };
  const kept = Object.entries(feature.properties).filter(
    ([key, value]) => key === "command" || value !== usual[key],
  );
  return { ...feature, properties: Object.fromEntries(kept) };
}

/** A circle of several points is several features. */
export function featuresOfGeofence(geofence: Geofence): GeoFeature[] {
  const { type, fence_type, enabled, name, geofence_points: points } = geofence;
  const common = { at: "feature", holes: 0, heights: "ground", name } as const;
  const properties = { fence_type, enabled };
  const positions = points.map(({ lng, lat }) => [lng, lat] as const);
  const [first] = positions;
  if (type === "polygon")
    return first ? [{ ...common, geometry: "Polygon", positions: [...positions, first], properties }] : [];
  return points.map(({ lng, lat, param1: radius }) => ({
    ...common,
    geometry: "Point",
    positions: [[lng, lat]],
    properties: { ...properties, radius },
  }));
}

/** The columns of a geofence's vertices that both formats lack. */
export const lostOfGeofence = ({ geofence_points }: Geofence): string[] =>
  geofence_points.some(({ frame }) => frame !== GLOBAL_RELATIVE_ALT) ? ["frame"] : [];
