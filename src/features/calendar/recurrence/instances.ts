import type { Budget } from "./budget";
import { calendarDay, DAY, dayOf, isRuleDay, weekdayOf, weekStart } from "./days";
import type { RecurrenceRule } from "./rule";

/**
 * The instances of a rule in order, as local times: milliseconds of their digits read as UTC.
 *
 * What lies before `from` is skipped where the rule does not count, and may be yielded all the same. Nothing
 * is looked at beyond `to`, so that a rule without instances, such as one for every 30 February, ends too.
 * Between two periods it yields undefined: there it may be left to rest.
 */
export function* instances(
  given: RecurrenceRule,
  start: number,
  { from, to }: { readonly from: number; readonly to: number },
  budget: Budget,
): Generator<number | undefined> {
  const rule = withDefaults(given, start);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  const skipTo = rule.count === undefined ? Math.max(from, start) : start;
  const periods = isSubDaily(rule) ? timePeriods(rule, start, skipTo) : dayPeriods(rule, start, skipTo);
  for (const { begins, set } of periods(budget)) {
    if (begins > to) return;
    for (const at of pick(set, rule.bysetpos)) {
      if (at < start) continue;
      if (at > to || left-- <= 0) return;
      yield at;
    }
    if (left <= 0) return;
    yield undefined;
  }
}

/** The instances that one turn of the rule's frequency brings, in order. */
interface Period {
  readonly begins: number;
  readonly set: readonly number[];
}

const seconds = { HOURLY: 3_600, MINUTELY: 60, SECONDLY: 1 } as const;

const isSubDaily = (rule: RecurrenceRule): rule is RecurrenceRule & { freq: keyof typeof seconds } =>
  rule.freq in seconds;

/** What a rule leaves open is as it is at the start. */
function withDefaults(rule: RecurrenceRule, start: number): RecurrenceRule {
  const { month, monthday, day } = calendarDay(Math.floor(start / DAY));
  const at = new Date(start);
  const rank = ["HOURLY", "MINUTELY", "SECONDLY"].indexOf(rule.freq);
  const or = (given: readonly number[], fallback: number, isOpen: boolean) =>
    given.length > 0 ? [...given].sort((a, b) => a - b) : isOpen ? [fallback] : [];
  const noDay =
    [rule.byweekno, rule.byyearday, rule.bymonthday, rule.byday].every(({ length }) => length === 0) &&
    !isSubDaily(rule);
  return {
    ...rule,
    byhour: or(rule.byhour, at.getUTCHours(), rank < 0),
    byminute: or(rule.byminute, at.getUTCMinutes(), rank < 1),
    bysecond: or(rule.bysecond, at.getUTCSeconds(), rank < 2),
    bymonth: noDay && rule.freq === "YEARLY" && rule.bymonth.length === 0 ? [month] : rule.bymonth,
    bymonthday: noDay && (rule.freq === "YEARLY" || rule.freq === "MONTHLY") ? [monthday] : rule.bymonthday,
    byday: noDay && rule.freq === "WEEKLY" ? [{ nth: 0, weekday: weekdayOf(day) }] : rule.byday,
  };
}

/** Years, months, weeks and days: the days of each that pass, at the times of each. */
function dayPeriods(rule: RecurrenceRule, start: number, skipTo: number) {
  return function* (budget: Budget): Generator<Period> {
    budget.spend(rule.byhour.length * rule.byminute.length * rule.bysecond.length);
    const times = rule.byhour.flatMap((hour) =>
      rule.byminute.flatMap((minute) =>
        rule.bysecond.map((second) => (hour * 3_600 + minute * 60 + second) * 1_000),
      ),
    );
    const turn = turnsOf(rule, Math.floor(start / DAY));
    for (let k = turn.reaching(Math.floor(skipTo / DAY)); ; k++) {
      const { first, end } = turn.at(k * rule.interval);
      budget.spend(1 + end - first);
      const set: number[] = [];
      for (let day = first; day < end; day++) {
        if (!isRuleDay(rule, calendarDay(day))) continue;
        budget.spend(times.length);
        for (const time of times) set.push(day * DAY + time);
      }
      yield { begins: first * DAY, set };
    }
  };
}

interface Turns {
  /** The days of the nth period after the one of the start. */
  at(n: number): { first: number; end: number };
  /** The last turn that is certain not to lie after this day, 0 at least. */
  reaching(day: number): number;
}

function turnsOf({ freq, interval, wkst }: RecurrenceRule, startDay: number): Turns {
  const { year, month } = calendarDay(startDay);
  const turns = (periods: number) => Math.max(0, Math.floor(periods / interval));
  if (freq === "YEARLY") {
    return {
      at: (n) => ({ first: dayOf(year + n, 1), end: dayOf(year + n + 1, 1) }),
      reaching: (day) => turns(calendarDay(day).year - year),
    };
  }
  if (freq === "MONTHLY") {
    return {
      at: (n) => ({ first: dayOf(year, month + n), end: dayOf(year, month + n + 1) }),
      reaching: (day) => turns((calendarDay(day).year - year) * 12 + calendarDay(day).month - month),
    };
  }
  const length = freq === "WEEKLY" ? 7 : 1;
  const origin = freq === "WEEKLY" ? weekStart(startDay, wkst) : startDay;
  return {
    at: (n) => ({ first: origin + n * length, end: origin + (n + 1) * length }),
    reaching: (day) => turns((day - origin) / length),
  };
}

/** Hours, minutes and seconds. Where a day, an hour or a minute does not pass, the next one is gone to. */
function timePeriods(rule: RecurrenceRule & { freq: keyof typeof seconds }, start: number, skipTo: number) {
  return function* (budget: Budget): Generator<Period> {
    const unit = seconds[rule.freq] * 1_000;
    const step = unit * rule.interval;
    const origin = Math.floor(start / unit) * unit;
    const reach = (time: number) => Math.ceil((time - origin) / step);
    let k = Math.max(0, Math.floor((skipTo - origin) / step));
    let known = { day: Number.NaN, passes: false };
    for (;;) {
      budget.spend(1);
      const begins = origin + k * step;
      const day = Math.floor(begins / DAY);
      if (day !== known.day) known = { day, passes: isRuleDay(rule, calendarDay(day)) };
      const next = known.passes ? blockedUntil(rule, begins) : (day + 1) * DAY;
      if (next !== undefined) {
        yield { begins, set: [] };
        k = Math.max(k + 1, reach(next));
        continue;
      }
      budget.spend(timesOf(rule));
      const set = timesWithin(rule, begins);
      yield { begins, set };
      k++;
    }
  };
}

/** Where the next hour or minute begins when this one does not pass. */
function blockedUntil(
  { freq, byhour, byminute, bysecond }: RecurrenceRule,
  time: number,
): number | undefined {
  const at = new Date(time);
  const after = (unit: number) => (Math.floor(time / unit) + 1) * unit;
  if (byhour.length > 0 && !byhour.includes(at.getUTCHours())) return after(3_600_000);
  if (freq === "HOURLY") return undefined;
  if (byminute.length > 0 && !byminute.includes(at.getUTCMinutes())) return after(60_000);
  if (freq === "MINUTELY") return undefined;
  return bysecond.length > 0 && !bysecond.includes(at.getUTCSeconds()) ? after(1_000) : undefined;
}

/** How many `timesWithin` gives. */
const timesOf = ({ freq, byminute, bysecond }: RecurrenceRule): number =>
  (freq === "HOURLY" ? byminute.length : 1) * (freq === "SECONDLY" ? 1 : bysecond.length);

function timesWithin({ freq, byminute, bysecond }: RecurrenceRule, begins: number): number[] {
  if (freq === "SECONDLY") return [begins];
  if (freq === "MINUTELY") return bysecond.map((second) => begins + second * 1_000);
  return byminute.flatMap((minute) => bysecond.map((second) => begins + (minute * 60 + second) * 1_000));
}

function pick(set: readonly number[], places: readonly number[]): readonly number[] {
  if (places.length === 0) return set;
  const picked = places.map((place) => set.at(place > 0 ? place - 1 : place));
  return [...new Set(picked)].filter((at) => at !== undefined).sort((a, b) => a - b);
}
