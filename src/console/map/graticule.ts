interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Degrees of the lines that a window shows, and what is written beside each. */
export interface Graticule {
  readonly meridians: readonly Line[];
  readonly parallels: readonly Line[];
  /** Degrees between two lines. */
  readonly step: number;
}
interface Line {
  readonly at: number;
  readonly label: string;
}

/** Degrees between two lines: those that people count by. */
const STEPS = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];

/** Lines that a window shows at least, from one side to the other. */
const FEWEST_LINES = 4;

/** Degrees. The map ends there, and has no position beyond a pole. */
const LAST_PARALLEL = 85;

/** Of a step, by which a bound may be rounded. */
const SLACK = 1e-6;

/** Meridians and parallels at round degrees, and one beyond each side. */
export function graticule({ west, south, east, north }: Bounds): Graticule {
  const span = Math.min(east - west, 360);
  const step = STEPS.find((degrees) => span / degrees >= FEWEST_LINES) ?? (STEPS.at(-1) as number);
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const lines = (low: number, high: number, name: (degrees: number) => number): Line[] => {
    const first = Math.floor(low / step + SLACK);
    const count = Math.ceil(high / step - SLACK) - first + 1;
    return Array.from({ length: count }, (_, nth) => {
      // Of a whole number of steps, since a sum of them would drift.
      const at = Number(((first + nth) * step).toFixed(digits));
      return { at, label: `${name(at).toFixed(digits)}°` };
    });
  };
  return {
    step,
    meridians: lines(west, east, onEarth),
    parallels: lines(south, north, (latitude) => latitude).filter(({ at }) => Math.abs(at) <= LAST_PARALLEL),
  };
}

/** The longitude of a meridian of any of the worlds that lie beside each other. */
const onEarth = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;
