import { timeZone } from "../../format/time";

/**
 * A reading of clock and calendar without a time zone, as milliseconds of its digits read as UTC. `Date.parse` reads it from
 * `2030-05-06T10:00Z`, and `toISOString` writes it.
 */
export type LocalTime = number;

/** A time zone of the IANA database. The console computes in the browser's, and in that of a series. */
export interface Zone {
  readonly name: string;
  toLocal(instant: number): LocalTime;
  /**
   * As the API reads local times (RFC 5545, section 3.3.5): of a time that clocks show twice the first, and a time that
   * they skip with the offset before the gap.
   */
  toInstant(local: LocalTime): number;
}

const DAY_MS = 86_400_000;

/** Undefined for a name that the browser does not know. */
export function zoneOf(name: string): Zone | undefined {
  let digits: Intl.DateTimeFormat;
  try {
    digits = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
  } catch {
    return undefined;
  }
  const toLocal = (instant: number): LocalTime => {
    const found = new Map(digits.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? 0;
    const [year, month, day] = [part("year"), part("month") - 1, part("day")];
    return Date.UTC(year, month, day, part("hour"), part("minute"), part("second"));
  };
  const offsetAt = (instant: number): number => toLocal(instant) - instant;
  return {
    name,
    toLocal,
    toInstant(local) {
      // No zone changes its clocks twice in two days, so one of these is the offset.
      const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)] as const;
      const fits = (offset: number) => offsetAt(local - offset) === offset;
      return fits(before) || !fits(after) ? local - before : local - after;
    },
  };
}

/** How the clocks of a zone show a local time: once, twice (they are put back over it) or not at all (forward). */
export function showings({ toLocal, toInstant }: Zone, local: LocalTime): "once" | "twice" | "never" {
  const first = toInstant(local);
  if (toLocal(first) !== local) return "never";
  // Clocks are put back by half an hour on Lord Howe, and by an hour elsewhere.
  const isAgain = [1_800_000, 3_600_000].some((later) => toLocal(first + later) === local);
  return isAgain ? "twice" : "once";
}

/** `2030-05-06T10:00`, as the field of a date and time has it; with seconds if there are some. Undefined for another text. */
export function parseLocal(text: string): LocalTime | undefined {
  const local = Date.parse(`${text}Z`);
  return Number.isNaN(local) ? undefined : local;
}

export const localText = (local: LocalTime): string =>
  new Date(local).toISOString().replace(/(:00)?\.\d+Z$/, "");

/** The browser's. */
export const here = zoneOf(timeZone()) ?? (zoneOf("UTC") as Zone);
