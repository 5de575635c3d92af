import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { EventReply } from "./calendar.schema";
import {
  type CalendarEvent,
  eventsBetween,
  exceptionsAt,
  type OccurrenceException,
  type Range,
} from "./calendar.store";
import { expandAll, MAX_OCCURRENCES } from "./recurrence";

/** An event, or one occurrence of a series. */
export type ListedEvent = RowOf<typeof EventReply>;

export interface Listing {
  readonly events: readonly ListedEvent[];
  /** Events of which not every occurrence is listed, or may be: a limit or the deadline was reached. */
  readonly cut: readonly Pick<CalendarEvent, "id" | "title">[];
}

/** Occurrences of all series together. */
const MAX_LISTED_OCCURRENCES = 5_000;
/** Of the listing as JSON, more or less: a reply is held in memory until it is sent. */
const MAX_LISTED_CHARACTERS = 8_000_000;

/** A user's events from one instant to another, both included, series expanded, in order of time. */
export async function listEvents(
  db: Db,
  userId: number,
  range: Range,
  droneId: number | undefined,
): Promise<Listing> {
  const events = await eventsBetween(db, userId, range, droneId);
  const single = events.filter(({ recurrence_rule }) => recurrence_rule === null);
  const series = events.filter(({ recurrence_rule }) => recurrence_rule !== null);
  const expansions = await expandAll(
    series.map(({ recurrence_rule, scheduled_time }) => ({
      ...{ rule: recurrence_rule as string, start: scheduled_time, ...range, limit: MAX_OCCURRENCES },
    })),
  );
  const found = [
    ...single.map((event) => ({ event, times: [event.scheduled_time], isCut: false })),
    ...expansions.map((expansion, at) => ({ event: series[at] as CalendarEvent, ...expansion })),
  ];
  const kept: { readonly event: CalendarEvent; readonly at: Date }[] = [];
  const cut: CalendarEvent[] = [];
  let [room, characters] = [MAX_LISTED_OCCURRENCES, MAX_LISTED_CHARACTERS];
  for (const { event, times, isCut } of found) {
    const size = JSON.stringify(event).length;
    const isSeries = event.recurrence_rule !== null;
    const fitting = times.slice(0, Math.min(Math.floor(characters / size), isSeries ? room : 1));
    if (isCut || fitting.length < times.length) cut.push(event);
    characters -= fitting.length * size;
    if (isSeries) room -= fitting.length;
    for (const at of fitting) kept.push({ event, at });
  }
  const exceptions = await exceptionsAt(
    db,
    kept.map(({ event, at }) => ({ id: event.id, scheduled_time: at })),
  );
  const known = new Map(exceptions.map((one) => [keyOf(one.event_id, one.occurrence_time), one]));
  const listed = kept.map(
    ({ event, at }): ListedEvent =>
      event.recurrence_rule === null ? event : occurrenceOf(event, at, known.get(keyOf(event.id, at))),
  );
  const byTime = (a: ListedEvent, b: ListedEvent) => +a.scheduled_time - +b.scheduled_time || a.id - b.id;
  return { events: listed.sort(byTime), cut };
}

/** One occurrence as it is shown: the series' row at its own time, with its exception. */
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
