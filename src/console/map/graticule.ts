import type { Feature, FeatureCollection } from "geojson";

interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Degrees between two lines: those that people count by. */
const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];

/** Lines that a window shows at least, from one side to the other. */
const FEWEST_LINES = 4;

/** Meridians and parallels through the bounds, each with its `label`, at round degrees. */
export function graticule({ west, south, east, north }: Bounds): FeatureCollection {
  const span = Math.min(east - west, 360);
  const step = STEPS.find((degrees) => span / degrees >= FEWEST_LINES) ?? (STEPS.at(-1) as number);
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const between = (low: number, high: number) => {
    const first = Math.ceil(low / step);
    const count = Math.floor(high / step) - first + 1;
    // Of a whole number of steps, since a sum of them would drift.
    return Array.from({ length: Math.max(0, count) }, (_, at) =>
      Number(((first + at) * step).toFixed(digits)),
    );
  };
  const [low, high] = [Math.max(south, -85), Math.min(north, 85)];
  return {
    type: "FeatureCollection",
    features: [
      ...between(west, east).map((lng) => line([lng, low], [lng, high], `${lng.toFixed(digits)}°`)),
      ...between(low, high).map((lat) => line([west, lat], [east, lat], `${lat.toFixed(digits)}°`)),
    ],
  };
}

const line = (from: number[], to: number[], label: string): Feature => ({
  type: "Feature",
  properties: { label },
  geometry: { type: "LineString", coordinates: [from, to] },
});
