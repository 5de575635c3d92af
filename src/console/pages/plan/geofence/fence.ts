import type { components } from "../../../../client/api-types";
import { circle, type LatLng, metresBetween } from "../../../map/features";
import type { FenceShape } from "../../../map/layers/fence-layer";

export type StoredGeofence = components["schemas"]["Geofence"];

/** A polygon's vertex, or a circle's centre. */
export interface Vertex extends LatLng {
  /** It is the same vertex after every edit. Positive. */
  readonly key: number;
  /** Metres, of a circle's centre. */
  readonly radius: number;
  readonly frame: number;
}

/** A geofence as it is edited. */
export interface FenceContent extends Pick<StoredGeofence, "name" | "type" | "fence_type" | "enabled"> {
  readonly rows: readonly Vertex[];
}

/** MAV_CMD_NAV_FENCE_*, by the shape and what it does. */
const codes = {
  polygon: { inclusion: 5001, exclusion: 5002 },
  circle: { inclusion: 5003, exclusion: 5004 },
} as const;

/** MAV_FRAME_GLOBAL_RELATIVE_ALT. */
const FRAME = 3;
/** Metres, of a new circle. */
const NEW_RADIUS = 100;

export const toContent = ({
  name,
  type,
  fence_type,
  enabled,
  geofence_points,
}: StoredGeofence): FenceContent => ({
  ...{ name, type, fence_type, enabled },
  rows: geofence_points.map(({ lat, lng, frame, param1 }, at) => ({
    ...{ key: at + 1, lat, lng, frame },
    radius: type === "circle" ? param1 : 0,
  })),
});

/** The points as the API takes them. */
export const toPoints = ({ type, fence_type, rows }: FenceContent) =>
  rows.map(({ lat, lng, frame, radius }) => ({
    ...{ lat, lng, frame, command: codes[type][fence_type] },
    param1: type === "circle" ? radius : rows.length,
  }));

export const isSameFence = (a: FenceContent, b: FenceContent): boolean =>
  a === b ||
  (a.name.trim() === b.name.trim() &&
    a.type === b.type &&
    a.fence_type === b.fence_type &&
    a.enabled === b.enabled &&
    a.rows.length === b.rows.length &&
    a.rows.every((row, at) => {
      const other = b.rows[at] as Vertex;
      return row === other || (row.lat === other.lat && row.lng === other.lng && row.radius === other.radius);
    }));

export const nextKey = (rows: readonly Vertex[]): number =>
  rows.reduce((highest, { key }) => Math.max(highest, key), 0) + 1;

export const newVertex = (rows: readonly Vertex[], position: LatLng): Vertex => ({
  ...{ key: nextKey(rows), frame: FRAME, radius: NEW_RADIUS },
  ...{ lat: position.lat, lng: position.lng },
});

/** Corners of a circle that becomes a polygon. */
const CORNERS = 12;

/** In the other shape: a polygon about as large as the circle, or the reverse. */
export function asType(content: FenceContent, type: FenceContent["type"]): FenceContent {
  const { rows } = content;
  if (type === content.type || rows.length === 0) return { ...content, type };
  if (type === "polygon") {
    const [centre] = rows as [Vertex];
    const all = circle(centre, centre.radius);
    const corners = Array.from(
      { length: CORNERS },
      (_, at) => all[Math.floor((at * all.length) / CORNERS)] as LatLng,
    );
    return {
      ...content,
      type,
      rows: corners.map(({ lat, lng }, at) => ({ key: at + 1, lat, lng, frame: FRAME, radius: 0 })),
    };
  }
  const centre = middleOf(rows);
  const radius = rows.reduce((sum, row) => sum + metresBetween(centre, row), 0) / rows.length;
  return {
    ...content,
    type,
    rows: [{ ...centre, key: 1, frame: FRAME, radius: Math.max(1, Math.round(radius || NEW_RADIUS)) }],
  };
}

export const middleOf = (rows: readonly LatLng[]): LatLng => ({
  lat: rows.reduce((sum, { lat }) => sum + lat, 0) / rows.length,
  lng: rows.reduce((sum, { lng }) => sum + lng, 0) / rows.length,
});

/** As the map draws it. */
export function shapesOf({
  type,
  fence_type,
  rows,
}: Pick<FenceContent, "type" | "fence_type" | "rows">): FenceShape[] {
  const isInclusion = fence_type === "inclusion";
  if (type === "circle")
    return rows
      .filter(({ radius }) => radius > 0)
      .map((middle) => ({ isInclusion, middle, radius: middle.radius }));
  return rows.length > 2 ? [{ isInclusion, corners: rows }] : [];
}

/** Of stored geofences that are enabled, as the ground of another plan. */
export const shapesOfStored = (geofences: readonly StoredGeofence[]): FenceShape[] =>
  geofences.filter(({ enabled }) => enabled).flatMap((geofence) => shapesOf(toContent(geofence)));
