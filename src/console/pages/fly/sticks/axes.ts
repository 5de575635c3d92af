/** Each from -1 to 1: right, forward, up, clockwise. */
export interface Axes {
  readonly roll: number;
  readonly pitch: number;
  readonly throttle: number;
  readonly yaw: number;
}
export type AxisName = keyof Axes;

export const AXIS_NAMES = ["roll", "pitch", "throttle", "yaw"] as const satisfies readonly AxisName[];
export const CENTRED: Axes = { roll: 0, pitch: 0, throttle: 0, yaw: 0 };

/** How far from the middle a stick counts as let go. */
const NEARLY = 0.1;
export const areCentred = (axes: Axes): boolean => AXIS_NAMES.every((name) => Math.abs(axes[name]) < NEARLY);

export interface Sticks {
  readonly axes: Axes;
  readonly buttons: readonly boolean[];
}

/** Where sticks come from. */
export interface StickSource {
  /** As they are held now; undefined when they are gone, as an unplugged gamepad is. */
  read(): Sticks | undefined;
  /** Stops listening. */
  end(): void;
}
