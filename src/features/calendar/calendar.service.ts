import { isDeepStrictEqual } from "node:util";
import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { findDrone } from "../drones";
import type { EventChange, NewEvent, OccurrenceStatus } from "./calendar.schema";
import {
  type CalendarEvent,
  deleteEvent,
  exceptionsOf,
  findEvent,
  hasEvents,
  hasOtherExceptions,
  holdOwn,
  insertEvent,
  lockEvent,
  type OccurrenceException,
  putException,
  removeExceptions,
  replaceExceptions,
  TITLE_AT_TIME,
  updateEvent,
} from "./calendar.store";
import { type ListedEvent, type Listing, listEvents, occurrenceOf } from "./listing";
import { MAX_STEPS_OF_A_MOVE, moveExceptions } from "./moved-exceptions";
import { Budget, expand, isOccurrence, MAX_STEPS, parseRecurrence } from "./recurrence";

const DAY_MS = 86_400_000;
/** What is listed when nobody says from when to when. */
const DEFAULT_RANGE_MS = 90 * DAY_MS;
/** A rule that brings nothing for so long after its start brings nothing. */
const FIRST_WITHIN_MS = 40 * 366 * DAY_MS;
/** Events that one user may have, single ones and series. */
export const MAX_EVENTS_PER_USER = 5_000;
/** Occurrences of one series that may differ from it. */
export const MAX_EXCEPTIONS_PER_EVENT = 1_000;
/** How often a change is worked out for an event that others change meanwhile. */
const ATTEMPTS = 3;

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

  async create(userId: number, wish: NewEvent): Promise<CalendarEvent> {
    await checkRule(wish.recurrence_rule ?? null, wish.scheduled_time);
    return this.write(async (trx) => {
      if (await hasEvents(trx, userId, MAX_EVENTS_PER_USER))
        throw invalid(`You have ${MAX_EVENTS_PER_USER} events, and no more are kept: delete old ones.`);
      await this.holdReferences(trx, userId, wish);
      const { description = null, status = "scheduled", recurrence_rule = null, ...rest } = wish;
      return insertEvent(trx, userId, { ...rest, description, status, recurrence_rule, execution_id: null });
    });
  }

  /** Where the series moves or its rule changes, the exceptions go with it; those of a series that ends, end. */
  update(userId: number, id: number, change: EventChange): Promise<CalendarEvent> {
    const budget = new Budget(MAX_STEPS_OF_A_MOVE);
    return this.change(userId, id, async (before) => {
      const move = await this.planMove(before, change, budget);
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
    budget: Budget,
  ): Promise<{ from: readonly OccurrenceException[]; to: readonly OccurrenceException[] } | undefined> {
    const { scheduled_time = before.scheduled_time, recurrence_rule = before.recurrence_rule } = change;
    const after = { scheduled_time, recurrence_rule };
    if (isSameTiming(after, before)) return undefined;
    await checkRule(recurrence_rule, scheduled_time, budget);
    const from = await exceptionsOf(this.db, before.id);
    return { from, to: recurrence_rule === null ? [] : await moveExceptions(from, before, after, budget) };
  }

  async remove(userId: number, id: number): Promise<void> {
    if (!(await deleteEvent(this.db, userId, id))) missing("Calendar event");
  }

  setOccurrence(userId: number, id: number, wish: OccurrenceStatus): Promise<ListedEvent> {
    const { occurrence_time, status, execution_id = null } = wish;
    const budget = new Budget(MAX_STEPS);
    return this.change(userId, id, async (before) => {
      await requireOccurrence(before, occurrence_time, budget);
      return async (trx, event) => {
        if (execution_id !== null) await this.holdReferences(trx, userId, { execution_id });
        if (status === "scheduled") {
          await removeExceptions(trx, id, [occurrence_time]);
          return occurrenceOf(event, occurrence_time, undefined);
        }
        if (await hasOtherExceptions(trx, id, occurrence_time, MAX_EXCEPTIONS_PER_EVENT))
          throw invalid(
            `${MAX_EXCEPTIONS_PER_EVENT} occurrences of this event differ from it, and no more may: end it, and plan a new one.`,
          );
        const exception = { event_id: id, occurrence_time, status, execution_id };
        await putException(trx, exception);
        return occurrenceOf(event, occurrence_time, exception);
      };
    });
  }

  /**
   * Changes an event in two steps: what its times ask to be worked out is worked out first, with no connection
   * held; what is to be done then is done only if the event still is at those times. Where `apply` gives
   * undefined, or they are others, all is worked out anew.
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
async function checkRule(text: string | null, scheduledTime: Date, whole?: Budget): Promise<void> {
  if (text === null) return;
  const recurrence = parseRecurrence(text);
  if (recurrence.start !== undefined && recurrence.start !== scheduledTime.getTime()) {
    const start = new Date(recurrence.start).toISOString();
    throw invalid(`recurrence_rule: its DTSTART is ${start}, but scheduled_time is another.`);
  }
  const range = { from: scheduledTime, to: new Date(scheduledTime.getTime() + FIRST_WITHIN_MS) };
  const { times, isCut } = await expand(recurrence, scheduledTime, range, {
    occurrences: 1,
    budget: whole?.part(MAX_STEPS) ?? new Budget(MAX_STEPS),
  });
  if (times.length > 0) return;
  throw invalid(`recurrence_rule: it has no occurrence${isCut ? " that can be computed" : ""}.`);
}

async function requireOccurrence(event: CalendarEvent, at: Date, budget: Budget): Promise<void> {
  if (event.recurrence_rule === null) throw invalid("This event does not recur.");
  if (!(await isOccurrence(parseRecurrence(event.recurrence_rule), event.scheduled_time, at, budget)))
    throw invalid("occurrence_time is not an occurrence of this event's rule.");
}

const isSameTiming = (a: Timing, b: Timing): boolean =>
  a.scheduled_time.getTime() === b.scheduled_time.getTime() && a.recurrence_rule === b.recurrence_rule;

type Timing = Pick<CalendarEvent, "scheduled_time" | "recurrence_rule">;

const invalid = (message: string) => new DomainError("invalid_input", message);

/** These words are the contract's sign of a 404. */
function missing(what: string): never {
  throw new DomainError("not_found", `${what} not found.`);
}
