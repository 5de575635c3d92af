const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** `50 GB`, `1.2 MB`: of a thousand each, as limits are set. */
export function bytes(count: number): string {
  const step = count < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1_000 ** step;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[step]}`;
}
