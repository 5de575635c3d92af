import type { CalendarEvent, OccurrenceException } from "./calendar.store";
import { type Budget, expand, MAX_STEPS, parseRecurrence, type Recurrence, wrong } from "./recurrence";
import { DAY } from "./recurrence/days";

/** What says when a series takes place. */
type Series = Pick<CalendarEvent, "scheduled_time" | "recurrence_rule">;

/** What all exceptions of a series together may take to move; a second at worst, in many turns. */
export const MAX_STEPS_OF_A_MOVE = 10 * MAX_STEPS;

/**
 * The exceptions of a series that was moved or whose rule was changed, at the times that they have now. A flight
 * that was cancelled must not come back because its series starts an hour earlier.
 *
 * One stays where the series still has an occurrence. Else it goes to the first of these that the series has now
 * and had not before: its time moved as the start was by local clocks, if that is at most half a day; the
 * occurrence nearest to it on its own local day; its time moved by whatever the start was. Where there is none it
 * ends. An occurrence that was there before is nobody's new time: nobody cancelled it.
 *
 * Rejects with `invalid_input` when finding all that out takes more than the budget: of an exception that nobody
 * looked at, nobody can say that it ended.
 */
export async function moveExceptions(
  exceptions: readonly OccurrenceException[],
  before: Series,
  after: Series,
  budget: Budget,
): Promise<OccurrenceException[]> {
  const moved = new Map<number, OccurrenceException>();
  const timing = { before: timingOf(before, budget), after: timingOf(after, budget) };
  const leaving: OccurrenceException[] = [];
  // Those that stay come first: no other takes their place.
  for (const one of exceptions) {
    if (await has(timing.after, one.occurrence_time)) moved.set(one.occurrence_time.getTime(), one);
    else leaving.push(one);
  }
  for (const one of leaving) {
    const at = await newTime(one.occurrence_time, timing.before, timing.after);
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
  /** What is left to all of one move. */
  readonly budget: Budget;
}

const timingOf = ({ scheduled_time, recurrence_rule }: Series, budget: Budget): Timing => ({
  start: scheduled_time,
  recurrence: recurrence_rule === null ? undefined : parseRecurrence(recurrence_rule),
  budget,
});

/** A single event is the one occurrence of itself. */
const has = async (timing: Timing, at: Date): Promise<boolean> =>
  timing.recurrence
    ? (await occurrences(timing, { from: at, to: at })).length > 0
    : at.getTime() === timing.start.getTime();

async function newTime(at: Date, before: Timing, after: Timing): Promise<Date | undefined> {
  const local = localOf(before, at);
  const startMoved = localOf(after, after.start) - localOf(before, before.start);
  const shifted = instantOf(after, local + startMoved);
  const isNew = async (candidate: Date) => (await has(after, candidate)) && !(await has(before, candidate));
  const distance = (candidate: Date) => Math.abs(candidate.getTime() - at.getTime());
  if (distance(shifted) <= DAY / 2 && (await isNew(shifted))) return shifted;
  const midnight = Math.floor(local / DAY) * DAY;
  const sameDay = { from: instantOf(after, midnight), to: instantOf(after, midnight + DAY - 1) };
  const nearest = (await occurrences(after, sameDay)).sort((a, b) => distance(a) - distance(b));
  for (const candidate of nearest) if (!(await has(before, candidate))) return candidate;
  return (await isNew(shifted)) ? shifted : undefined;
}

const localOf = ({ recurrence }: Timing, at: Date): number =>
  recurrence ? recurrence.zone.toLocal(at.getTime()) : at.getTime();

const instantOf = ({ recurrence }: Timing, local: number): Date =>
  new Date(recurrence ? recurrence.zone.toInstant(local) : local);

async function occurrences(
  { start, recurrence, budget }: Timing,
  range: { from: Date; to: Date },
): Promise<Date[]> {
  if (!recurrence) return [];
  const part = budget.part(MAX_STEPS);
  const { times } = await expand(recurrence, start, range, { budget: part });
  if (part.isSpent) throw tooHeavy();
  return [...times];
}

const tooHeavy = () =>
  wrong(
    "which of the occurrences that were changed it still has is more than can be computed. Plan a new event with it and delete this one",
  );
