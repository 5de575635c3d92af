import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Clock } from "../../platform/clock";
import type { Db } from "../../platform/db";
import { findDrone } from "../drones";
import type { EventChange, NewEvent, OccurrenceStatus } from "./calendar.schema";
import {
  type CalendarEvent,
  deleteEvent,
  exceptionsOf,
  findEvent,
  holdOwn,
  insertEvent,
  lockEvent,
  putException,
  removeExceptions,
  replaceExceptions,
  TITLE_AT_TIME,
  updateEvent,
} from "./calendar.store";
import { type ListedEvent, type Listing, listEvents, occurrenceOf } from "./listing";
import { moveExceptions } from "./moved-exceptions";
import { expand, isOccurrence, parseRecurrence } from "./recurrence";

const DAY_MS = 86_400_000;
/** What is listed when nobody says from when to when. */
const DEFAULT_RANGE_MS = 90 * DAY_MS;
/** A rule that brings nothing for so long after its start brings nothing. */
const FIRST_WITHIN_MS = 40 * 366 * DAY_MS;

export interface CalendarWish {
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
  readonly drone_id?: number | undefined;
}

/** Planned flights. Nothing here starts one. */
export class CalendarService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  async list(userId: number, { start, end, drone_id }: CalendarWish): Promise<Listing> {
    const now = this.clock.now().getTime();
    const from = start ?? new Date(Math.min(now, end ? end.getTime() - DEFAULT_RANGE_MS : now));
    const to = end ?? new Date(from.getTime() + DEFAULT_RANGE_MS);
    if (from > to) throw invalid("start must not be after end.");
    return listEvents(this.db, userId, { from, to }, drone_id);
  }

  async get(userId: number, id: number): Promise<CalendarEvent> {
    return (await findEvent(this.db, userId, id)) ?? missing("Calendar event");
  }

  create(userId: number, wish: NewEvent): Promise<CalendarEvent> {
    checkRule(wish.recurrence_rule ?? null, wish.scheduled_time);
    return this.write(async (trx) => {
      await this.holdReferences(trx, userId, wish);
      const { description = null, status = "scheduled", recurrence_rule = null, ...rest } = wish;
      return insertEvent(trx, userId, { ...rest, description, status, recurrence_rule, execution_id: null });
    });
  }

  /** Where the series moves or its rule changes, the exceptions go with it; those of a series that ends, end. */
  update(userId: number, id: number, change: EventChange): Promise<CalendarEvent> {
    return this.write(async (trx) => {
      const before = (await lockEvent(trx, userId, id)) ?? missing("Calendar event");
      const { scheduled_time = before.scheduled_time, recurrence_rule = before.recurrence_rule } = change;
      const isMoved =
        scheduled_time.getTime() !== before.scheduled_time.getTime() ||
        recurrence_rule !== before.recurrence_rule;
      if (isMoved) checkRule(recurrence_rule, scheduled_time);
      await this.holdReferences(trx, userId, change);
      const after = await updateEvent(trx, id, change);
      if (isMoved) {
        const moved = moveExceptions(await exceptionsOf(trx, id), before, after);
        await replaceExceptions(trx, id, after.recurrence_rule === null ? [] : moved);
      }
      return after;
    });
  }

  async remove(userId: number, id: number): Promise<void> {
    if (!(await deleteEvent(this.db, userId, id))) missing("Calendar event");
  }

  setOccurrence(userId: number, id: number, wish: OccurrenceStatus): Promise<ListedEvent> {
    const { occurrence_time, status, execution_id = null } = wish;
    return this.write(async (trx) => {
      const event = (await lockEvent(trx, userId, id)) ?? missing("Calendar event");
      requireOccurrence(event, occurrence_time);
      if (execution_id !== null) await this.holdReferences(trx, userId, { execution_id });
      if (status === "scheduled") {
        await removeExceptions(trx, id, [occurrence_time]);
        return occurrenceOf(event, occurrence_time, undefined);
      }
      const exception = { event_id: id, occurrence_time, status, execution_id };
      await putException(trx, exception);
      return occurrenceOf(event, occurrence_time, exception);
    });
  }

  /** What an event refers to must be the user's own, and must not go away meanwhile. */
  private async holdReferences(
    trx: Db,
    userId: number,
    { drone_id, mission_id, execution_id }: EventChange,
  ): Promise<void> {
    if (drone_id !== undefined) {
      const drone = await findDrone(trx, drone_id);
      if (!drone || !may(userId, "command", drone)) missing("Drone");
    }
    if (mission_id !== undefined && !(await holdOwn(trx, "missions", userId, mission_id))) missing("Mission");
    if (typeof execution_id === "number" && !(await holdOwn(trx, "executions", userId, execution_id)))
      missing("Execution");
  }

  private async write<T>(change: (trx: Db) => Promise<T>): Promise<T> {
    try {
      return await this.db.transaction(change);
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== TITLE_AT_TIME) throw error;
      throw new DomainError("conflict", "You already have an event with this title at this time.", {
        cause: error,
      });
    }
  }
}

/** Refuses a rule that cannot be read, one that starts elsewhere, and one without any occurrence. */
function checkRule(text: string | null, scheduledTime: Date): void {
  if (text === null) return;
  const recurrence = parseRecurrence(text);
  if (recurrence.start !== undefined && recurrence.start !== scheduledTime.getTime()) {
    const start = new Date(recurrence.start).toISOString();
    throw invalid(`recurrence_rule: its DTSTART is ${start}, but scheduled_time is another.`);
  }
  const range = { from: scheduledTime, to: new Date(scheduledTime.getTime() + FIRST_WITHIN_MS) };
  const { times, isCut } = expand(recurrence, scheduledTime, range, { occurrences: 1 });
  if (times.length > 0) return;
  throw invalid(`recurrence_rule: it has no occurrence${isCut ? " that can be computed" : ""}.`);
}

function requireOccurrence(event: CalendarEvent, at: Date): void {
  if (event.recurrence_rule === null) throw invalid("This event does not recur.");
  if (!isOccurrence(parseRecurrence(event.recurrence_rule), event.scheduled_time, at))
    throw invalid("occurrence_time is not an occurrence of this event's rule.");
}

const invalid = (message: string) => new DomainError("invalid_input", message);

/** These words are the contract's sign of a 404. */
function missing(what: string): never {
  throw new DomainError("not_found", `${what} not found.`);
}
