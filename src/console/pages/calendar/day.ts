/** A day of the calendar, in no time zone: `2030-05-06`. */
export type Day = string;

const DAY_MS = 86_400_000;

/** Midnight of a day in UTC, for dates that are computed and written in UTC. */
export const utc = (day: Day): Date => new Date(`${day}T00:00:00Z`);
const dayOf = (date: Date): Day => date.toISOString().slice(0, 10);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(utc(text).getTime()) && dayOf(utc(text)) === text;

export const addDays = (day: Day, days: number): Day => dayOf(new Date(utc(day).getTime() + days * DAY_MS));

/** The same day of another month, or the last one of a month that is shorter. */
export function addMonths(day: Day, months: number): Day {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0));
  return dayOf(
    new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(date, last.getUTCDate()))),
  );
}

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (day: Day): number => utc(day).getUTCDay() || 7;

interface WeekInfo {
  readonly firstDay: number;
}

/**
 * The weekday with which weeks begin where the user is: 1 is Monday, 7 is Sunday. Monday where the browser does not know,
 * as ISO 8601 has it.
 */
export function firstWeekday(locale: string = new Intl.DateTimeFormat().resolvedOptions().locale): number {
  // A method in newer browsers, a property in older ones, and nothing in others.
  const known = new Intl.Locale(locale) as { getWeekInfo?(): WeekInfo; readonly weekInfo?: WeekInfo };
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}

/** The seven days of the week of a day. */
export function weekOf(day: Day, first: number): readonly Day[] {
  const start = addDays(day, -((weekdayOf(day) - first + 7) % 7));
  return Array.from({ length: 7 }, (_, at) => addDays(start, at));
}

/** The six weeks that hold the month of a day: every month has the same height. */
export function weeksOfMonth(day: Day, first: number): readonly (readonly Day[])[] {
  const [start] = weekOf(`${day.slice(0, 8)}01`, first) as [Day];
  return Array.from({ length: 6 }, (_, at) => weekOf(addDays(start, 7 * at), first));
}
