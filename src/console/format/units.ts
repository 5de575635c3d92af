import { kept } from "../parts/kept";

export type UnitSystem = "metric" | "imperial";

/** Every length and speed of the console is shown in it. */
export const unitSystem = kept<UnitSystem>("units", "metric", (text) =>
  text === "metric" || text === "imperial" ? text : undefined,
);

export interface Unit {
  readonly name: string;
  /** Of one of the API's units: metres, metres per second. */
  readonly factor: number;
  /** Behind the point; absent when its values decide. */
  readonly digits?: number;
}

/** The unit of a short length: heights, radii. */
export const shortLength = (): Unit =>
  unitSystem.value === "metric" ? { name: "m", factor: 1 } : { name: "ft", factor: 1 / 0.3048 };
const longLength = (): Unit =>
  unitSystem.value === "metric" ? { name: "km", factor: 1e-3 } : { name: "mi", factor: 1 / 1609.344 };
export const speedUnit = (): Unit =>
  unitSystem.value === "metric" ? { name: "m/s", factor: 1 } : { name: "mph", factor: 3600 / 1609.344 };
/** The unit of a vertical speed. */
export const climbUnit = (): Unit =>
  unitSystem.value === "metric" ? speedUnit() : { name: "ft/min", factor: 60 / 0.3048, digits: 0 };

/** No number: not measured, or not known. */
export const NO_VALUE = "–";

type Measured = number | null | undefined;

/** `20.1 m`. `digits` are behind the point, unless the unit has its own. */
export const withUnit = (value: Measured, unit: Unit, digits: number): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? NO_VALUE
    : `${rounded(value * unit.factor, unit.digits ?? digits)} ${unit.name}`.trimEnd();

/** Without a minus before a zero. */
const rounded = (value: number, digits: number): string =>
  value.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "");

/** Of metres. */
export const height = (metres: Measured, digits = 1): string => withUnit(metres, shortLength(), digits);
/** Of metres per second. */
export const speed = (metresPerSecond: Measured, digits = 1): string =>
  withUnit(metresPerSecond, speedUnit(), digits);
/** Of metres per second, up. */
export const climbRate = (metresPerSecond: Measured): string => withUnit(metresPerSecond, climbUnit(), 1);
/** Of metres: in kilometres or miles when it is long. */
export function distance(metres: Measured): string {
  const isLong = metres !== null && metres !== undefined && metres >= 1_000;
  return isLong ? withUnit(metres, longLength(), 2) : withUnit(metres, shortLength(), 0);
}
/** Of volts. */
export const voltage = (volts: Measured): string => withUnit(volts || null, { name: "V", factor: 1 }, 1);
/** Of percent. */
export const percent = (value: Measured): string => withUnit(value, { name: "%", factor: 1 }, 0);
/** Of degrees. */
export const degrees = (value: Measured): string =>
  withUnit(value, { name: "°", factor: 1 }, 0).replace(" °", "°");
/** `47.39774°, 8.54559°`: to about a metre. */
export const coordinates = (latitude: number, longitude: number): string =>
  `${latitude.toFixed(5)}°, ${longitude.toFixed(5)}°`;

/** What the user entered in the unit that is shown, in the API's unit. */
export const inMetres = (entered: number): number => entered / shortLength().factor;
