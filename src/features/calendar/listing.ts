import type { Db } from "../../platform/postgres/db";
import {
  type CalendarEvent,
  eventsBetween,
  exceptionsAt,
  type OccurrenceException,
  type Range,
} from "./calendar.store";
import { Budget, expand, MAX_OCCURRENCES, MAX_STEPS, parseRecurrence } from "./recurrence";

/** An event, or one occurrence of a series. */
export interface ListedEvent extends CalendarEvent {
  readonly is_occurrence?: true;
  /** The start of the series. */
  readonly original_scheduled_time?: Date;
}

export interface Listing {
  readonly events: readonly ListedEvent[];
  /** Of which not every occurrence is listed, or may be: the room or the work of one listing was used up. */
  readonly cut: readonly Pick<CalendarEvent, "id" | "title">[];
}

/** Occurrences of all series together that one listing has room for. */
export const MAX_LISTED_OCCURRENCES = 5_000;
/** Of the listing as JSON, more or less: a reply is held in memory until it is read. */
export const MAX_LISTED_CHARACTERS = 8_000_000;
/** What all series of one listing together may take; a quarter of a second at worst, in many turns. */
const MAX_STEPS_OF_A_LISTING = 5 * MAX_STEPS;

/** A user's events from one instant to another, both included, series expanded, in order of time. */
export async function listEvents(
  db: Db,
  userId: number,
  range: Range,
  droneId: number | undefined,
): Promise<Listing> {
  const events = await eventsBetween(db, userId, range, droneId);
  const series = events.filter(({ recurrence_rule }) => recurrence_rule !== null);
  const single = events.filter(({ recurrence_rule }) => recurrence_rule === null);
  const budget = new Budget(MAX_STEPS_OF_A_LISTING);
  const occurrences: { readonly event: CalendarEvent; readonly at: Date }[] = [];
  const cut: CalendarEvent[] = [];
  let left = MAX_LISTED_CHARACTERS;
  const fitting = single.filter((event) => {
    if (left >= 0) left -= sizeOf(event);
    if (left < 0) cut.push(event);
    return left >= 0;
  });
  for (const event of series) {
    const size = sizeOf(event);
    const fit = Math.floor(Math.max(left, 0) / size);
    const room = Math.min(MAX_LISTED_OCCURRENCES - occurrences.length, MAX_OCCURRENCES, fit);
    // A series is looked at even when there is no room, for it may have nothing to list; not when no work is left.
    const { times, isCut } = budget.isSpent
      ? { times: [], isCut: true }
      : await expand(parseRecurrence(event.recurrence_rule as string), event.scheduled_time, range, {
          ...{ occurrences: room, budget: budget.part(MAX_STEPS) },
        });
    if (isCut) cut.push(event);
    left -= times.length * size;
    for (const at of times) occurrences.push({ event, at });
  }
  const exceptions = await exceptionsAt(
    db,
    occurrences.map(({ event, at }) => ({ id: event.id, scheduled_time: at })),
  );
  const known = new Map(exceptions.map((one) => [keyOf(one.event_id, one.occurrence_time), one]));
  const listed: ListedEvent[] = [
    ...fitting,
    ...occurrences.map(({ event, at }) => occurrenceOf(event, at, known.get(keyOf(event.id, at)))),
  ];
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

/** Of one row of it as JSON. */
const sizeOf = (event: CalendarEvent): number => JSON.stringify(event).length;

const keyOf = (id: number, at: Date): string => `${id} ${at.getTime()}`;
