import { AXIS_NAMES, type Axes, type AxisName } from "./axes";

/** Which axis of the pad moves a stick. */
export interface PadAxis {
  readonly index: number;
  readonly isInverted: boolean;
}

/** What an axis of the pad says at its ends and in its middle. */
export interface PadRange {
  readonly min: number;
  readonly middle: number;
  readonly max: number;
}

/** How one kind of gamepad is read. */
export interface PadSettings {
  readonly axes: Readonly<Record<AxisName, PadAxis>>;
  /** By the pad's axes; one that was not calibrated goes from -1 to 1. */
  readonly ranges: readonly (PadRange | null)[];
  /** Of the way to the end, in which a stick counts as let go: 0 to 0.5. */
  readonly deadBand: number;
  /** 0: straight. 1: gentle around the middle. */
  readonly expo: number;
}

const FULL: PadRange = { min: -1, middle: 0, max: 1 };

/** Of a pad as browsers have it, whose axes grow to the right and down: throttle and yaw at the left hand. */
export const defaultSettings: PadSettings = {
  axes: {
    roll: { index: 2, isInverted: false },
    pitch: { index: 3, isInverted: true },
    throttle: { index: 1, isInverted: true },
    yaw: { index: 0, isInverted: false },
  },
  ranges: [],
  deadBand: 0.08,
  expo: 0.3,
};

/** What the pad's axes mean. */
export function axesOf(raw: readonly number[], settings: PadSettings): Axes {
  const one = (name: AxisName) => {
    const { index, isInverted } = settings.axes[name];
    const way = shaped(withinRange(raw[index] ?? 0, settings.ranges[index] ?? FULL), settings);
    // Without a minus before a zero.
    return (isInverted ? -way : way) || 0;
  };
  return { roll: one("roll"), pitch: one("pitch"), throttle: one("throttle"), yaw: one("yaw") };
}

function withinRange(value: number, { min, middle, max }: PadRange): number {
  const way = value < middle ? (value - middle) / (middle - min) : (value - middle) / (max - middle);
  // A range without a length is divided by zero.
  return Number.isFinite(way) ? Math.max(-1, Math.min(1, way)) : 0;
}

function shaped(way: number, { deadBand, expo }: PadSettings): number {
  const beyond = Math.max(0, Math.abs(way) - deadBand) / (1 - deadBand);
  return Math.sign(way) * ((1 - expo) * beyond + expo * beyond ** 3);
}

const keyOf = (padId: string): string => `gamepad ${padId}`;

/** What was kept for pads of this name; the usual settings otherwise. */
export function loadSettings(padId: string): PadSettings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(padId)) ?? "null");
    return isSettings(kept) ? kept : defaultSettings;
  } catch {
    return defaultSettings;
  }
}

export const saveSettings = (padId: string, settings: PadSettings): void =>
  localStorage.setItem(keyOf(padId), JSON.stringify(settings));

const isNumberFrom = (low: number, high: number) => (value: unknown) =>
  typeof value === "number" && value >= low && value <= high;

/** An earlier release may have kept another form. */
function isSettings(kept: unknown): kept is PadSettings {
  const { axes, ranges, deadBand, expo } = (kept ?? {}) as Partial<PadSettings>;
  return (
    isNumberFrom(0, 0.5)(deadBand) &&
    isNumberFrom(0, 1)(expo) &&
    Array.isArray(ranges) &&
    ranges.every(
      (range) => range === null || [range?.min, range?.middle, range?.max].every(isNumberFrom(-2, 2)),
    ) &&
    AXIS_NAMES.every(
      (name) => Number.isInteger(axes?.[name]?.index) && typeof axes?.[name]?.isInverted === "boolean",
    )
  );
}
