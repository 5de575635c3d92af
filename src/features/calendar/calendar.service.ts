import { isDeepStrictEqual } from "node:util";
import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { findDrone } from "../drones";
import type { EventChange, EventsQuery, NewEvent, OccurrenceStatus } from "./calendar.schema";
import {
  type CalendarEvent,
  deleteEvent,
  exceptionsOf,
  findEvent,
  hasEvents,
  hasOtherExceptions,
  insertEvent,
  lockEvent,
  lockOwned,
  type OccurrenceException,
  putException,
  removeException,
  replaceExceptions,
  UNIQUE_TITLE_CONSTRAINT,
  updateEvent,
} from "./calendar.store";
import { type ListedEvent, type Listing, listEvents, occurrenceOf } from "./listing";
import type { Series } from "./moved-exceptions";
import { expand, isOccurrence, moveExceptions, parseRecurrence } from "./recurrence";

const DAY_MS = 86_400_000;
/** Listed when a request names no end. */
const DEFAULT_RANGE_MS = 90 * DAY_MS;
/** A rule without an occurrence for so long after its start has none. */
const FIRST_WITHIN_MS = 40 * 366 * DAY_MS;
/** Events that one user may have, single ones and series. */
export const MAX_EVENTS_PER_USER = 5_000;
/** Occurrences of one series that may differ from it. */
export const MAX_EXCEPTIONS_PER_EVENT = 1_000;
/** Of a change to an event that others change meanwhile. */
const ATTEMPTS = 3;

/** Planned flights. Nothing here starts one. */
export class CalendarService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  async list(userId: number, { start, end, drone_id }: EventsQuery): Promise<Listing> {
    const now = this.clock.now().getTime();
    const from = start ?? new Date(Math.min(now, end ? end.getTime() - DEFAULT_RANGE_MS : now));
    const to = end ?? new Date(from.getTime() + DEFAULT_RANGE_MS);
    if (from > to) throw invalid("start must not be after end.");
    return listEvents(this.db, userId, { from, to }, drone_id);
  }

  async get(userId: number, id: number): Promise<CalendarEvent> {
    return (await findEvent(this.db, userId, id)) ?? missing("Calendar event");
  }

  async create(userId: number, event: NewEvent): Promise<CalendarEvent> {
    await checkRule(event.recurrence_rule ?? null, event.scheduled_time);
    return this.write(async (trx) => {
      if (await hasEvents(trx, userId, MAX_EVENTS_PER_USER))
        throw invalid(
          `You have ${MAX_EVENTS_PER_USER} events, the most that one user may have: delete old ones.`,
        );
      await this.holdReferences(trx, userId, event);
      const { description = null, status = "scheduled", recurrence_rule = null, ...rest } = event;
      return insertEvent(trx, userId, { ...rest, description, status, recurrence_rule, execution_id: null });
    });
  }

  /** A change of the start or of the rule moves the exceptions too; an event that no longer recurs keeps none. */
  update(userId: number, id: number, change: EventChange): Promise<CalendarEvent> {
    return this.change(userId, id, async (before) => {
      const move = await this.planMove(before, change);
      return async (trx) => {
        if (move && !isDeepStrictEqual(await exceptionsOf(trx, id), move.from)) return undefined;
        await this.holdReferences(trx, userId, change);
        const after = await updateEvent(trx, id, change);
        if (move) await replaceExceptions(trx, id, move.to);
        return after;
      };
    });
  }

  /** The exceptions that an event has and those that it has after a change; undefined when it stays where it is. */
  private async planMove(
    before: CalendarEvent,
    change: EventChange,
  ): Promise<{ from: readonly OccurrenceException[]; to: readonly OccurrenceException[] } | undefined> {
    const { scheduled_time = before.scheduled_time, recurrence_rule = before.recurrence_rule } = change;
    const after = { scheduled_time, recurrence_rule };
    if (isSameTiming(after, before)) return undefined;
    await checkRule(recurrence_rule, scheduled_time);
    const from = await exceptionsOf(this.db, before.id);
    return { from, to: recurrence_rule === null ? [] : await moveExceptions(from, before, after) };
  }

  async remove(userId: number, id: number): Promise<void> {
    if (!(await deleteEvent(this.db, userId, id))) missing("Calendar event");
  }

  setOccurrence(userId: number, id: number, change: OccurrenceStatus): Promise<ListedEvent> {
    const { occurrence_time, status, execution_id = null } = change;
    return this.change(userId, id, async (before) => {
      await requireOccurrence(before, occurrence_time);
      return async (trx, event) => {
        if (execution_id !== null) await this.holdReferences(trx, userId, { execution_id });
        if (status === "scheduled") {
          await removeException(trx, id, occurrence_time);
          return occurrenceOf(event, occurrence_time, undefined);
        }
        if (await hasOtherExceptions(trx, id, occurrence_time, MAX_EXCEPTIONS_PER_EVENT))
          throw invalid(
            `${MAX_EXCEPTIONS_PER_EVENT} occurrences of this event differ from it, the most that may: end it, and plan a new one.`,
          );
        const exception = { event_id: id, occurrence_time, status, execution_id };
        await putException(trx, exception);
        return occurrenceOf(event, occurrence_time, exception);
      };
    });
  }

  /**
   * Changes an event in two steps. `prepare` computes with the event's times and holds no database connection.
   * `apply` then writes, if the event still has those times; where it does not, or `apply` returns undefined, both
   * steps are repeated.
   */
  private async change<T>(
    userId: number,
    id: number,
    prepare: (before: CalendarEvent) => Promise<(trx: Db, event: CalendarEvent) => Promise<T | undefined>>,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = await this.get(userId, id);
      const apply = await prepare(before);
      const done = await this.write(async (trx) => {
        const event = (await lockEvent(trx, userId, id)) ?? missing("Calendar event");
        return isSameTiming(event, before) ? apply(trx, event) : undefined;
      });
      if (done) return done;
    }
    throw new DomainError("conflict", "The event is being changed by others at this moment: try again.");
  }

  /** An event's drone, mission and execution must be the user's own, and must not be deleted meanwhile. */
  private async holdReferences(
    trx: Db,
    userId: number,
    { drone_id, mission_id, execution_id }: EventChange,
  ): Promise<void> {
    if (drone_id !== undefined) {
      const drone = await findDrone(trx, drone_id);
      if (!drone || !may(userId, "command", drone)) missing("Drone");
    }
    if (mission_id !== undefined && !(await lockOwned(trx, "missions", userId, mission_id)))
      missing("Mission");
    if (typeof execution_id === "number" && !(await lockOwned(trx, "executions", userId, execution_id)))
      missing("Execution");
  }

  private async write<T>(change: (trx: Db) => Promise<T>): Promise<T> {
    try {
      return await this.db.transaction(change);
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== UNIQUE_TITLE_CONSTRAINT) throw error;
      throw new DomainError("conflict", "You already have an event with this title at this time.", {
        cause: error,
      });
    }
  }
}

/** Refuses a rule that cannot be read, a rule with another start, and a rule without any occurrence. */
async function checkRule(text: string | null, scheduledTime: Date): Promise<void> {
  if (text === null) return;
  const recurrence = parseRecurrence(text);
  if (recurrence.start !== undefined && recurrence.start !== scheduledTime.getTime()) {
    const start = new Date(recurrence.start).toISOString();
    throw invalid(`recurrence_rule: its DTSTART is ${start}, but scheduled_time is another.`);
  }
  const range = { from: scheduledTime, to: new Date(scheduledTime.getTime() + FIRST_WITHIN_MS) };
  const { times, isCut } = await expand(recurrence, scheduledTime, range, 1);
  if (times.length > 0) return;
  throw invalid(
    `recurrence_rule: ${isCut ? "its first occurrence takes too long to compute" : "it has no occurrence"}.`,
  );
}

async function requireOccurrence(event: CalendarEvent, at: Date): Promise<void> {
  if (event.recurrence_rule === null) throw invalid("This event does not recur.");
  if (!(await isOccurrence(parseRecurrence(event.recurrence_rule), event.scheduled_time, at)))
    throw invalid("occurrence_time is not an occurrence of this event's rule.");
}

const isSameTiming = (a: Series, b: Series): boolean =>
  a.scheduled_time.getTime() === b.scheduled_time.getTime() && a.recurrence_rule === b.recurrence_rule;

const invalid = (message: string) => new DomainError("invalid_input", message);

/** These words are the contract's sign of a 404. */
function missing(what: string): never {
  throw new DomainError("not_found", `${what} not found.`);
}
