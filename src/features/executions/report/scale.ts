import { type LatLng, offsetBetween } from "../../../domain/geo";

/** About `count` round numbers that cover `from` to `to`: steps of 1, 2 or 5 times a power of ten. */
export function roundTicks(from: number, to: number, count: number): number[] {
  const span = to - from || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(from / step);
  const last = Math.ceil(to / step);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** The greatest of 1, 2 and 5 times a power of ten that is not above `value`, which is greater than 0. */
export function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2].find((factor) => factor * power <= value) ?? 1) * power;
}

/** Steps of a clock, for an axis of seconds. */
export function timeTicks(seconds: number, count: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];
  const step = steps.find((one) => seconds / one <= count) ?? Math.ceil(seconds / count / 3_600) * 3_600;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, at) => at * step);
}

/** Metres east and north of `origin`; good to a thousandth within a few kilometres. */
export const flatMetres = (origin: LatLng, { lat, lng }: LatLng): { east: number; north: number } =>
  offsetBetween(origin, { lat, lng: origin.lng + wrapped(lng - origin.lng) });

/** A track may cross the 180th meridian. */
const wrapped = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

export const clock = (seconds: number): string => {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
};

export const metres = (value: number): string =>
  Math.abs(value) >= 10_000
    ? `${(value / 1000).toFixed(1)} km`
    : Math.abs(value) >= 1000
      ? `${(value / 1000).toFixed(2)} km`
      : `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)} m`;
