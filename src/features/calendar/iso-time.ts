import { z } from "zod";

const FIRST_YEAR = 1970;
const LAST_YEAR = 2199;

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+ -]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * ISO 8601 to an instant, in whole seconds. `Z` is +00:00, a value without an offset is UTC, a date alone is
 * its midnight. Undefined for a date that does not exist, such as 30 February.
 */
function parseIsoTime(text: string): Date | undefined {
  const [, date, time = "00:00", second = "00", zone = "Z"] = pattern.exec(text.trim()) ?? [];
  if (!date) return undefined;
  const digits = `${date}T${time}:${second}`;
  const read = new Date(`${digits}Z`);
  // Date carries a day that does not exist over into the next month.
  if (Number.isNaN(read.getTime()) || !read.toISOString().startsWith(digits)) return undefined;
  const [, sign, hours = 0, minutes = 0] = /^([+ -])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes ?? 0)) * 60_000;
  const at = new Date(read.getTime() - (sign === "-" ? -offset : offset));
  const year = at.getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR ? at : undefined;
}

/** A `+` that was not escaped in a query arrives as a space, and is read as `+`. */
export const IsoTime = z
  .string()
  .max(40)
  .transform((text, ctx) => {
    const at = parseIsoTime(text);
    if (at) return at;
    ctx.addIssue({
      code: "custom",
      message: `must be an ISO 8601 date and time that exists, from ${FIRST_YEAR} to ${LAST_YEAR}, such as 2030-05-01T08:00:00Z`,
    });
    return z.NEVER;
  });
