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
/** Lines after which the drawn bounds may end. */
const BLOCK = 8;

/** Of a step, by which a bound may be rounded. */
const SLACK = 1e-6;

/** The lines to draw for a window: the degrees between two, and the round bounds around it. */
export interface GraticuleExtent extends Bounds {
  readonly step: number;
}

/** It stays the same while the window moves by little. */
export function extentOf({ west, south, east, north }: Bounds): GraticuleExtent {
  const span = Math.min(east - west, 360);
  const step = STEPS.find((degrees) => span / degrees >= FEWEST_LINES) ?? (STEPS.at(-1) as number);
  const block = BLOCK * step;
  const [down, up] = [
    (of: number) => Math.floor(of / block) * block,
    (of: number) => Math.ceil(of / block) * block,
  ];
  return { step, west: down(west), south: down(south), east: up(east), north: up(north) };
}

/** Meridians and parallels, each with its `label`, at round degrees. */
export function graticule({ step, west, south, east, north }: GraticuleExtent): FeatureCollection {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const between = (low: number, high: number) => {
    const first = Math.ceil(low / step - SLACK);
    const count = Math.floor(high / step + SLACK) - first + 1;
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
