import type { RecurrenceRule } from "./rule";

/** Days are counted from 1970-01-01 = 0, a Thursday; nothing here knows a time zone. */
export const DAY = 86_400_000;

export interface CalendarDay {
  readonly day: number;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly monthday: number;
}

export const dayOf = (year: number, month: number, monthday = 1): number =>
  Date.UTC(year, month - 1, monthday) / DAY;

export function calendarDay(day: number): CalendarDay {
  const date = new Date(day * DAY);
  return { day, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, monthday: date.getUTCDate() };
}

/** Monday = 0. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

/** The first day of the week that a day is in. */
export const weekStart = (day: number, wkst: number): number => day - ((weekdayOf(day) - wkst + 7) % 7);

/** Whether a day passes every part of a rule that limits days. */
export function isRuleDay(rule: RecurrenceRule, it: CalendarDay): boolean {
  return (
    (rule.bymonth.length === 0 || rule.bymonth.includes(it.month)) &&
    (rule.byweekno.length === 0 || isWeekOf(rule, it.day)) &&
    (rule.byyearday.length === 0 ||
      isCounted(rule.byyearday, it.day, dayOf(it.year, 1), dayOf(it.year + 1, 1))) &&
    (rule.bymonthday.length === 0 ||
      isCounted(rule.bymonthday, it.day, dayOf(it.year, it.month), dayOf(it.year, it.month + 1))) &&
    (rule.byday.length === 0 || isWeekdayOf(rule, it))
  );
}

/** Whether the day's place in [first, end), from its beginning or, below zero, its end, is among these. */
const isCounted = (places: readonly number[], day: number, first: number, end: number): boolean =>
  places.includes(day - first + 1) || places.includes(day - end);

function isWeekdayOf({ freq, bymonth, byday }: RecurrenceRule, it: CalendarDay): boolean {
  const weekday = weekdayOf(it.day);
  const inMonth = freq === "MONTHLY" || bymonth.length > 0;
  const first = inMonth ? dayOf(it.year, it.month) : dayOf(it.year, 1);
  const end = inMonth ? dayOf(it.year, it.month + 1) : dayOf(it.year + 1, 1);
  const nth = Math.floor((it.day - first) / 7) + 1;
  const nthLast = -Math.floor((end - 1 - it.day) / 7) - 1;
  return byday.some(
    (one) => one.weekday === weekday && (one.nth === 0 || one.nth === nth || one.nth === nthLast),
  );
}

/** Week 1 is the first with at least four days in its year. */
function isWeekOf({ byweekno, wkst }: RecurrenceRule, day: number): boolean {
  const week = weekStart(day, wkst);
  const { year } = calendarDay(week + 3);
  const firstWeek = weekStart(dayOf(year, 1, 4), wkst);
  const nextFirst = weekStart(dayOf(year + 1, 1, 4), wkst);
  const number = (week - firstWeek) / 7 + 1;
  const weeks = (nextFirst - firstWeek) / 7;
  return byweekno.includes(number) || byweekno.includes(number - weeks - 1);
}
