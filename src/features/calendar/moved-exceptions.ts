import type { CalendarEvent, OccurrenceException } from "./calendar.store";
import { expand, isOccurrence, parseRecurrence, type Recurrence } from "./recurrence";
import { DAY } from "./recurrence/days";

/** What says when a series takes place. */
type Series = Pick<CalendarEvent, "scheduled_time" | "recurrence_rule">;

/**
 * The exceptions of a series that was moved or whose rule was changed, at the times that they have now. A flight
 * that was cancelled must not come back because its series starts an hour earlier.
 *
 * One stays where the series still has an occurrence. Else it goes to the first of these that the series has now
 * and had not before: its time moved as the start was by local clocks, if that is at most half a day; the
 * occurrence nearest to it on its own local day; its time moved by whatever the start was. Where there is none it
 * ends. An occurrence that was there before is nobody's new time: nobody cancelled it.
 */
export function moveExceptions(
  exceptions: readonly OccurrenceException[],
  before: Series,
  after: Series,
): OccurrenceException[] {
  const moved = new Map<number, OccurrenceException>();
  const timing = { before: timingOf(before), after: timingOf(after) };
  // Those that stay come first: no other takes their place.
  const stays = (one: OccurrenceException) => has(timing.after, one.occurrence_time);
  const [staying, leaving] = [exceptions.filter(stays), exceptions.filter((one) => !stays(one))];
  for (const one of staying) moved.set(one.occurrence_time.getTime(), one);
  for (const one of leaving) {
    const at = newTime(one.occurrence_time, timing.before, timing.after);
    if (at === undefined) continue;
    const there = moved.get(at.getTime());
    // Of two for one time, the one that keeps a drone on the ground.
    if (there && one.status !== "cancelled") continue;
    moved.set(at.getTime(), { ...one, occurrence_time: at });
  }
  return [...moved.values()];
}

interface Timing {
  readonly start: Date;
  readonly recurrence: Recurrence | undefined;
}

const timingOf = ({ scheduled_time, recurrence_rule }: Series): Timing => ({
  start: scheduled_time,
  recurrence: recurrence_rule === null ? undefined : parseRecurrence(recurrence_rule),
});

/** A single event is the one occurrence of itself. */
const has = ({ start, recurrence }: Timing, at: Date): boolean =>
  recurrence ? isOccurrence(recurrence, start, at) : at.getTime() === start.getTime();

function newTime(at: Date, before: Timing, after: Timing): Date | undefined {
  const local = localOf(before, at);
  const startMoved = localOf(after, after.start) - localOf(before, before.start);
  const shifted = instantOf(after, local + startMoved);
  const isNew = (candidate: Date) => has(after, candidate) && !has(before, candidate);
  const distance = (candidate: Date) => Math.abs(candidate.getTime() - at.getTime());
  if (distance(shifted) <= DAY / 2 && isNew(shifted)) return shifted;
  const midnight = Math.floor(local / DAY) * DAY;
  const sameDay = { from: instantOf(after, midnight), to: instantOf(after, midnight + DAY - 1) };
  const nearest = occurrences(after, sameDay)
    .filter((candidate) => !has(before, candidate))
    .sort((a, b) => distance(a) - distance(b));
  return nearest[0] ?? (isNew(shifted) ? shifted : undefined);
}

const localOf = ({ recurrence }: Timing, at: Date): number =>
  recurrence ? recurrence.zone.toLocal(at.getTime()) : at.getTime();

const instantOf = ({ recurrence }: Timing, local: number): Date =>
  new Date(recurrence ? recurrence.zone.toInstant(local) : local);

const occurrences = ({ start, recurrence }: Timing, range: { from: Date; to: Date }): Date[] =>
  recurrence ? [...expand(recurrence, start, range).times] : [];
