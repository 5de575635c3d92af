import { Frequency, RRule } from "rrule";
import type { Range } from "../calendar.store";
import { parseRecurrence, type Recurrence } from "./rule";
import { utc } from "./zone";

/** A series and the part of it that is asked for. */
export interface Expandable extends Range {
  /** See `parseRecurrence`. */
  readonly rule: string;
  readonly start: Date;
  /** At most so many occurrences. */
  readonly limit: number;
}

export interface Expansion {
  readonly times: readonly Date[];
  /** There are more, or may be: the limit or the deadline was reached. */
  readonly isCut: boolean;
}

const DAY = 86_400_000;
/** No clock is put forward or back by more. */
const CLOCK_CHANGE_MS = 3 * 3_600_000;

/** The length of a period, where all are of one length. */
const periods: Partial<Record<Frequency, number>> = {
  [Frequency.WEEKLY]: 7 * DAY,
  [Frequency.DAILY]: DAY,
  [Frequency.HOURLY]: 3_600_000,
  [Frequency.MINUTELY]: 60_000,
  [Frequency.SECONDLY]: 1_000,
};

/**
 * The occurrences of a series, in order. rrule computes with local times as if they were UTC; the zone is put in
 * front of it and behind it, since rrule's own zones are wrong for some hours around a change of clocks.
 *
 * It may compute for minutes or never end, and cannot be interrupted: call it in a thread (`expand`).
 */
export function occurrences({ rule: text, start, from, to, limit }: Expandable): Expansion {
  const recurrence = parseRecurrence(text);
  const { zone, until } = recurrence;
  const last = Math.min(+to, until ? (until.isUtc ? until.at : zone.toInstant(until.at)) : +to);
  // A clock that is changed may show a later time earlier, so local bounds are wide and instants decide.
  const margin = zone === utc ? 0 : CLOCK_CHANGE_MS;
  const local = { from: zone.toLocal(+from) - margin, to: zone.toLocal(last) + margin };
  const times: Date[] = [];
  let isCut = false;
  eachLocalTime(recurrence, zone.toLocal(+start), local, (time) => {
    const at = zone.toInstant(time);
    // Two local times may be one instant where a clock skips.
    if (at < +from || at > last || at === times.at(-1)?.getTime()) return true;
    isCut = times.length >= limit;
    if (!isCut) times.push(new Date(at));
    return !isCut;
  });
  return { times, isCut };
}

/** Visits a rule's local times within the bounds, until `visit` returns false. */
function eachLocalTime(
  { rule }: Recurrence,
  start: number,
  { from, to }: { readonly from: number; readonly to: number },
  visit: (local: number) => boolean,
): void {
  const freq = rule.freq as Frequency;
  // rrule loses the interval where BYHOUR, BYMINUTE or BYSECOND leave periods out, and may look for the next one for ever.
  const limits = {
    byhour: freq >= Frequency.HOURLY ? listOf(rule.byhour) : [],
    byminute: freq >= Frequency.MINUTELY ? listOf(rule.byminute) : [],
    bysecond: freq >= Frequency.SECONDLY ? listOf(rule.bysecond) : [],
  };
  const isLimited = Object.values(limits).some(({ length }) => length > 0);
  const passes = (at: Date) =>
    allows(limits.byhour, at.getUTCHours()) &&
    allows(limits.byminute, at.getUTCMinutes()) &&
    allows(limits.bysecond, at.getUTCSeconds());
  const without = Object.fromEntries(
    Object.entries(limits).flatMap(([name, { length }]) => (length > 0 ? [[name, null]] : [])),
  );
  // rrule begins at the start of a series: whole intervals before the first bound are left out, unless they count.
  const step = (periods[freq] ?? Number.POSITIVE_INFINITY) * (rule.interval ?? 1);
  const skipped = rule.count ? 0 : Math.max(0, Math.floor((from - start) / step)) * step || 0;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  new RRule(
    { ...rule, ...without, ...(isLimited ? { count: null } : {}), dtstart: new Date(start + skipped) },
    true,
  ).between(new Date(isLimited ? start : from), new Date(to), true, (date) => {
    if (!passes(date)) return true;
    return left-- > 0 && (+date < from || visit(+date));
  });
}

const listOf = (value: number | number[] | null | undefined): readonly number[] =>
  value === null || value === undefined ? [] : [value].flat();

const allows = (limit: readonly number[], value: number): boolean =>
  limit.length === 0 || limit.includes(value);
