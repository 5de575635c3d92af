import { strings } from "../../strings";
import { type Day, utc } from "./day";
import { type Repetition, type Weekday, weekdays } from "./rule";
import { here, type Zone } from "./zone";

const text = strings.calendar.words;

const dates = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: "UTC" });
  return (day: Day): string => format.format(utc(day));
};

/** `Monday, 6 May 2030`, as the browser's language writes it. */
export const longDate = dates({ dateStyle: "full" });
/** `6 May 2030`. */
export const shortDate = dates({ dateStyle: "medium" });
/** `May 2030`. */
export const monthName = dates({ year: "numeric", month: "long" });
const shortWeekday = dates({ weekday: "short" });
const longWeekday = dates({ weekday: "long" });

/** A day of each weekday, Monday first. */
const SOME_WEEK = [
  "2024-01-01",
  "2024-01-02",
  "2024-01-03",
  "2024-01-04",
  "2024-01-05",
  "2024-01-06",
  "2024-01-07",
];

/** `Mon` and `Monday`, of 1 for Monday to 7 for Sunday. */
export const weekdayNames = (weekday: number): { readonly short: string; readonly long: string } => {
  const day = SOME_WEEK[weekday - 1] as Day;
  return { short: shortWeekday(day), long: longWeekday(day) };
};

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** `10:00`, local. */
export const timeOf = (instant: number): string => clock.format(instant);

/** `6 May 2030, 10:00`, in a zone. */
export const timeIn = (zone: Zone, instant: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: zone.name }).format(
    instant,
  );

/** `Europe/Zurich (GMT+2)`, as its clocks are on a day. */
export function zoneText({ name, toInstant }: Zone, day: Day): string {
  const format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "shortOffset" });
  const parts = format.formatToParts(toInstant(utc(day).getTime() + NOON_MS));
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value;
  return offset === undefined || offset === name ? name : `${name} (${offset})`;
}

const NOON_MS = 43_200_000;

/** `every 2 weeks on Mon, Wed, until 31 Dec 2030`. */
export function inWords({ frequency, interval, weekdays: days, end }: Repetition): string {
  return [
    text.every[frequency](interval),
    days.length === 0 ? "" : text.on(days.map(nameOf).join(", ")),
    end.kind === "count" ? text.times(end.count) : end.kind === "day" ? text.until(shortDate(end.day)) : "",
  ].join("");
}

const nameOf = (weekday: Weekday): string => weekdayNames(weekdays.indexOf(weekday) + 1).short;

/** The day of an instant in the browser's zone. */
export const dayAt = (instant: number, zone: Zone = here): Day =>
  new Date(zone.toLocal(instant)).toISOString().slice(0, 10);
