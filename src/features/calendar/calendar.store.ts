import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { EventReply, Status } from "./calendar.schema";

export type CalendarEvent = Omit<RowOf<typeof EventReply>, "is_occurrence" | "original_scheduled_time">;

type EventColumns = Omit<CalendarEvent, "id" | "user_id" | "created_at" | "updated_at">;

/** One occurrence of a series that differs from it. */
export interface OccurrenceException {
  readonly event_id: number;
  readonly occurrence_time: Date;
  readonly status: Exclude<Status, "scheduled">;
  readonly execution_id: number | null;
}

/** A time, to which both bounds belong. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
}

/** The constraint that keeps a user's titles apart at one time. */
export const UNIQUE_TITLE_CONSTRAINT = "calendar_events_title_at_time";

const events = (db: Db) => db<CalendarEvent>("calendar_events");
const exceptions = (db: Db) => db<OccurrenceException>("calendar_exceptions");

export const findEvent = async (db: Db, userId: number, id: number): Promise<CalendarEvent | undefined> =>
  events(db).where({ id, user_id: userId }).first();

/** An event, held until the transaction ends. */
export const lockEvent = async (trx: Db, userId: number, id: number): Promise<CalendarEvent | undefined> =>
  events(trx).where({ id, user_id: userId }).forUpdate().first();

/** A user's events of a time, and every series of theirs that began before its end. */
export const eventsBetween = async (
  db: Db,
  userId: number,
  { from, to }: Range,
  droneId: number | undefined,
): Promise<CalendarEvent[]> =>
  events(db)
    .where({ user_id: userId, ...(droneId === undefined ? {} : { drone_id: droneId }) })
    .where("scheduled_time", "<=", to)
    .where((either) => either.whereNotNull("recurrence_rule").orWhere("scheduled_time", ">=", from))
    .orderBy(["scheduled_time", "id"]);

export const insertEvent = async (db: Db, userId: number, columns: EventColumns): Promise<CalendarEvent> =>
  (
    await events(db)
      .insert({ user_id: userId, ...columns })
      .returning("*")
  )[0] as CalendarEvent;

export const updateEvent = async (
  db: Db,
  id: number,
  changes: Partial<EventColumns>,
): Promise<CalendarEvent> =>
  (
    await events(db)
      .where({ id })
      .update({ ...changes, updated_at: db.fn.now() } as never)
      .returning("*")
  )[0] as CalendarEvent;

/** Returns whether the user had it. */
export const deleteEvent = async (db: Db, userId: number, id: number): Promise<boolean> =>
  (await events(db).where({ id, user_id: userId }).delete()) > 0;

/** Whether a user has at least so many events. */
export const hasEvents = async (db: Db, userId: number, count: number): Promise<boolean> =>
  (await events(db)
    .where({ user_id: userId })
    .offset(count - 1)
    .first("id")) !== undefined;

/** The exceptions among these occurrences of series. */
export const exceptionsAt = async (
  db: Db,
  occurrences: readonly { readonly id: number; readonly scheduled_time: Date }[],
): Promise<OccurrenceException[]> =>
  exceptions(db).whereRaw(
    "(event_id, occurrence_time) IN (SELECT * FROM unnest(?::integer[], ?::timestamptz[]))",
    [occurrences.map(({ id }) => id), occurrences.map(({ scheduled_time }) => scheduled_time)],
  );

/** In order of time. */
export const exceptionsOf = async (db: Db, eventId: number): Promise<OccurrenceException[]> =>
  exceptions(db).where({ event_id: eventId }).orderBy("occurrence_time");

/** Whether an event has at least so many exceptions beside the one at this time. */
export const hasOtherExceptions = async (
  db: Db,
  eventId: number,
  at: Date,
  count: number,
): Promise<boolean> =>
  (await exceptions(db)
    .where({ event_id: eventId })
    .whereNot({ occurrence_time: at })
    .offset(count - 1)
    .first("event_id")) !== undefined;

export const putException = async (db: Db, exception: OccurrenceException): Promise<void> =>
  void (await exceptions(db).insert(exception).onConflict(["event_id", "occurrence_time"]).merge());

export const removeException = async (db: Db, event_id: number, occurrence_time: Date): Promise<void> =>
  void (await exceptions(db).where({ event_id, occurrence_time }).delete());

/** Within a transaction that holds the event. */
export async function replaceExceptions(
  trx: Db,
  eventId: number,
  kept: readonly OccurrenceException[],
): Promise<void> {
  await exceptions(trx).where({ event_id: eventId }).delete();
  if (kept.length > 0) await exceptions(trx).insert([...kept]);
}

/** Keeps a user's mission or execution from being deleted until the transaction ends. False when it is not theirs. */
export const lockOwned = async (
  trx: Db,
  table: "missions" | "executions",
  userId: number,
  id: number,
): Promise<boolean> =>
  (await trx(table).where({ id, user_id: userId }).forKeyShare().first("id")) !== undefined;
