/** An amount in the smallest unit of its currency, such as cents: `€120.00`. */
export function money(minorUnits: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minorUnits / 10 ** digits);
}
