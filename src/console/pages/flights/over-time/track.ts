import type { components } from "../../../../client/api-types";
import { type LatLng, metresBetween } from "../../../map/features";

/** A flight over time: columns with a row for each position, as the API has them. */
export type Track = NonNullable<components["schemas"]["FlightTrack"]["track"]>;

export type Message = Track["messages"][number];

/** The columns of measurements. */
export const MEASURED = [
  "altitude_m",
  "speed_ms",
  "battery_v",
  "battery_percent",
  "battery_a",
  "climb_ms",
  "satellites",
  "vibration_ms2",
] as const;
export type Measured = (typeof MEASURED)[number];

export const EMPTY_TRACK: Track = {
  ...{ seconds: [], lat: [], lng: [], altitude_m: [], speed_ms: [], climb_ms: [], battery_v: [] },
  ...{ battery_percent: [], battery_a: [], satellites: [], vibration_ms2: [], modes: [], messages: [] },
};

export const lastRow = ({ seconds }: Track): number => Math.max(0, seconds.length - 1);

/** Undefined for a track without rows. */
export function positionAt({ lat, lng }: Track, row: number): LatLng | undefined {
  const [north, east] = [lat[row], lng[row]];
  return north === undefined || east === undefined ? undefined : { lat: north, lng: east };
}

export const positionsOf = ({ lat, lng }: Track): LatLng[] =>
  lat.map((north, row) => ({ lat: north, lng: lng[row] as number }));

/** The row whose time is nearest. */
export function rowAt({ seconds }: Track, at: number): number {
  let [low, high] = [0, seconds.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((seconds[middle] as number) <= at) low = middle;
    else high = middle;
  }
  if (high <= 0) return 0;
  return at - (seconds[low] as number) <= (seconds[high] as number) - at ? low : high;
}

/** The mode that the vehicle was in. Undefined when the log does not say. */
export const modeAt = ({ modes }: Track, at: number): string | undefined =>
  modes.findLast(({ seconds }) => seconds <= at + 1e-3)?.name;

/** Of a track without rows, 0. */
export function nearestRow({ lat, lng }: Track, to: LatLng): number {
  const narrowing = Math.cos((to.lat * Math.PI) / 180);
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let row = 0; row < lat.length; row++) {
    const north = (lat[row] as number) - to.lat;
    const east = ((lng[row] as number) - to.lng) * narrowing;
    const squared = north * north + east * east;
    if (squared < least) [nearest, least] = [row, squared];
  }
  return nearest;
}

/** Metres. A vehicle that hovers has no course. */
const SHORTEST_COURSE = 2;

/** Compass degrees of the way over ground that led to a row. Undefined where the vehicle has not moved yet. */
export function courseAt(track: Track, row: number): number | undefined {
  const to = positionAt(track, row);
  for (let before = row - 1; to && before >= 0; before--) {
    const from = positionAt(track, before) as LatLng;
    if (metresBetween(from, to) < SHORTEST_COURSE) continue;
    const east = (to.lng - from.lng) * Math.cos((to.lat * Math.PI) / 180);
    return ((Math.atan2(east, to.lat - from.lat) * 180) / Math.PI + 360) % 360;
  }
  return undefined;
}

/** The columns that the log has values of. */
export const measuredIn = (track: Track): Measured[] =>
  MEASURED.filter((column) => track[column].some((value) => value !== null));
