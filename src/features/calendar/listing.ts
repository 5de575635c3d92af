import type { Db } from "../../platform/db";
import {
  type CalendarEvent,
  eventsBetween,
  exceptionsBetween,
  type OccurrenceException,
  type Range,
} from "./calendar.store";
import { expand, MAX_OCCURRENCES, MAX_STEPS, parseRecurrence } from "./recurrence";
import { Budget } from "./recurrence/instances";

/** An event, or one occurrence of a series. */
export interface ListedEvent extends CalendarEvent {
  readonly is_occurrence?: true;
  /** The start of the series. */
  readonly original_scheduled_time?: Date;
}

export interface Listing {
  readonly events: readonly ListedEvent[];
  /** Series of which not every occurrence is listed. */
  readonly cut: readonly Pick<CalendarEvent, "id" | "title">[];
}

/** Occurrences of all series together that one listing has room for. */
export const MAX_LISTED_OCCURRENCES = 5_000;

/** A user's events from one instant to another, both included, series expanded, in order of time. */
export async function listEvents(
  db: Db,
  userId: number,
  range: Range,
  droneId: number | undefined,
): Promise<Listing> {
  const events = await eventsBetween(db, userId, range, droneId);
  const series = events.filter(({ recurrence_rule }) => recurrence_rule !== null);
  const exceptions = await exceptionsBetween(
    db,
    series.map(({ id }) => id),
    range,
  );
  const known = new Map(exceptions.map((one) => [keyOf(one.event_id, one.occurrence_time), one]));
  const listed: ListedEvent[] = events.filter(({ recurrence_rule }) => recurrence_rule === null);
  const cut: CalendarEvent[] = [];
  // One listing does no more than a few expansions at their worst, however many series there are.
  const budget = new Budget(3 * MAX_STEPS);
  let room = MAX_LISTED_OCCURRENCES;
  for (const event of series) {
    const caps = { occurrences: Math.min(room, MAX_OCCURRENCES), budget };
    const { times, isCut } = expand(
      parseRecurrence(event.recurrence_rule as string),
      event.scheduled_time,
      range,
      caps,
    );
    room -= times.length;
    if (isCut) cut.push(event);
    listed.push(...times.map((at) => occurrenceOf(event, at, known.get(keyOf(event.id, at)))));
  }
  const byTime = (a: ListedEvent, b: ListedEvent) => +a.scheduled_time - +b.scheduled_time || a.id - b.id;
  return { events: listed.sort(byTime), cut };
}

/** One occurrence as it is shown: the series' row at its own time, with what is different about it. */
export const occurrenceOf = (
  event: CalendarEvent,
  at: Date,
  exception: OccurrenceException | undefined,
): ListedEvent => ({
  ...event,
  scheduled_time: at,
  status: exception?.status ?? event.status,
  execution_id: exception?.execution_id ?? null,
  is_occurrence: true,
  original_scheduled_time: event.scheduled_time,
});

const keyOf = (id: number, at: Date): string => `${id} ${at.getTime()}`;
