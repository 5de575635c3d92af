import type { CalendarEvent, OccurrenceException, Range } from "./calendar.store";
import { occurrences } from "./recurrence/occurrences";
import { parseRecurrence } from "./recurrence/rule";
import { utc, type Zone } from "./recurrence/zone";

/** The columns that say when a series takes place. */
export type Series = Pick<CalendarEvent, "scheduled_time" | "recurrence_rule">;

const DAY = 86_400_000;
/** Occurrences of a series between its first exception and its last: hourly flights of two years. */
const MAX_COMPARED = 20_000;

/**
 * The exceptions of a series that was moved or whose rule was changed, at the times that they have now. A flight
 * that was cancelled must not come back because its series starts an hour earlier.
 *
 * An exception stays where the series still has an occurrence. Else it goes to the first of these times that the
 * series has now and did not have before: its time moved as the start was by local clocks, if that is at most half
 * a day; the occurrence nearest to it on its own local day; its time moved as far as the start was. Where there is
 * none, the exception ends. An occurrence that was there before is not taken: it was not cancelled.
 *
 * Undefined when there are too many occurrences to compare. It may compute for long: call it in a thread.
 */
export function movedExceptions(
  exceptions: readonly OccurrenceException[],
  before: Series,
  after: Series,
): OccurrenceException[] | undefined {
  if (exceptions.length === 0) return [];
  const range = rangeOf(exceptions, before, after);
  const timing = { before: timingOf(before, range), after: timingOf(after, range) };
  if (!timing.before || !timing.after) return undefined;
  const moved = new Map<number, OccurrenceException>();
  const leaving: OccurrenceException[] = [];
  // Exceptions that stay come first: no other takes their time.
  for (const exception of exceptions) {
    const at = exception.occurrence_time.getTime();
    if (timing.after.times.has(at)) moved.set(at, exception);
    else leaving.push(exception);
  }
  for (const exception of leaving) {
    const at = newTime(exception.occurrence_time.getTime(), timing.before, timing.after);
    if (at === undefined) continue;
    // Of two for one time, the cancellation stays: it keeps a drone on the ground.
    if (moved.has(at) && exception.status !== "cancelled") continue;
    moved.set(at, { ...exception, occurrence_time: new Date(at) });
  }
  return [...moved.values()];
}

interface Timing {
  readonly start: number;
  readonly zone: Zone;
  /** Where exceptions are or may go. */
  readonly times: ReadonlySet<number>;
}

/** Wide enough for each exception's own time, its local day and its time moved as the start was. */
function rangeOf(exceptions: readonly OccurrenceException[], before: Series, after: Series): Range {
  const at = exceptions.map(({ occurrence_time }) => occurrence_time.getTime()).sort((a, b) => a - b);
  const moved = after.scheduled_time.getTime() - before.scheduled_time.getTime();
  return {
    from: new Date((at[0] as number) + Math.min(0, moved) - 2 * DAY),
    to: new Date((at.at(-1) as number) + Math.max(0, moved) + 2 * DAY),
  };
}

/** A single event is the one occurrence of itself. Undefined when there are too many occurrences. */
function timingOf({ scheduled_time, recurrence_rule }: Series, range: Range): Timing | undefined {
  const start = scheduled_time.getTime();
  if (recurrence_rule === null) return { start, zone: utc, times: new Set([start]) };
  const series = { rule: recurrence_rule, start: scheduled_time, ...range, limit: MAX_COMPARED };
  const { times, isCut } = occurrences(series);
  if (isCut) return undefined;
  return { start, zone: parseRecurrence(recurrence_rule).zone, times: new Set(times.map(Number)) };
}

function newTime(at: number, before: Timing, after: Timing): number | undefined {
  const local = before.zone.toLocal(at);
  const startMoved = after.zone.toLocal(after.start) - before.zone.toLocal(before.start);
  const shifted = after.zone.toInstant(local + startMoved);
  const isNew = (time: number) => after.times.has(time) && !before.times.has(time);
  const distance = (time: number) => Math.abs(time - at);
  if (distance(shifted) <= DAY / 2 && isNew(shifted)) return shifted;
  const midnight = Math.floor(local / DAY) * DAY;
  const [first, end] = [after.zone.toInstant(midnight), after.zone.toInstant(midnight + DAY)];
  const sameDay = [...after.times].filter((time) => time >= first && time < end && isNew(time));
  const [nearest] = sameDay.sort((a, b) => distance(a) - distance(b));
  return nearest ?? (isNew(shifted) ? shifted : undefined);
}
