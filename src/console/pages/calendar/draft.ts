import type { components } from "../../../client/api-types";
import { addDays, type Day, firstWeekday, utc } from "./day";
import {
  type End,
  type Frequency,
  moveRule,
  type Repetition,
  readRule,
  type Weekday,
  weekdays,
  writeRule,
} from "./rule";
import type { CalendarEvent } from "./states";
import { here, type LocalTime, localText, parseLocal, type Zone } from "./zone";

/** once: no series. kept: the rule of another program, which the form cannot say. */
export type Repeats = "once" | "kept" | Frequency;

/** What the form of an event holds. */
export interface Draft {
  readonly title: string;
  /** Ids, or empty where nothing is chosen. */
  readonly drone: string;
  readonly mission: string;
  /** As the field of a date and time has it, in `zone`. */
  readonly start: string;
  readonly zone: Zone;
  readonly repeats: Repeats;
  readonly interval: string;
  readonly weekdays: readonly Weekday[];
  readonly weekStart: Weekday;
  readonly ends: End["kind"];
  readonly count: string;
  readonly lastDay: Day;
  readonly notes: string;
}

type Changes = components["schemas"]["CalendarEventChange"];
type NewEvent = components["schemas"]["NewCalendarEvent"];

const HOUR_MS = 3_600_000;
const MORNING_MS = 9 * HOUR_MS;

/** For a flight on a day: at nine, or at the next full hour of today. */
export function newDraft(day: Day, now: number | undefined, drone: string, mission: string): Draft {
  const start =
    now === undefined
      ? utc(day).getTime() + MORNING_MS
      : Math.ceil((here.toLocal(now) + 1) / HOUR_MS) * HOUR_MS;
  return {
    ...withoutSeries(start),
    title: "",
    drone,
    mission,
    start: localText(start),
    zone: here,
    notes: "",
  };
}

const withoutSeries = (start: LocalTime) => ({
  repeats: "once" as const,
  interval: "1",
  weekdays: [],
  weekStart: weekdays[firstWeekday() - 1] as Weekday,
  ends: "never" as const,
  count: "10",
  lastDay: addDays(localText(start).slice(0, 10), 28),
});

/** Of a single event, or of a series by its own row. */
export function draftOf(event: CalendarEvent): Draft {
  const { title, drone_id, mission_id, scheduled_time, description, recurrence_rule: rule } = event;
  const at = Date.parse(scheduled_time);
  const { zone, repetition } = rule === null ? { zone: here, repetition: undefined } : readRule(rule, at);
  const start = zone.toLocal(at);
  return {
    ...withoutSeries(start),
    ...(rule !== null && { repeats: "kept" as const }),
    ...(repetition && seriesDraft(repetition)),
    title,
    drone: String(drone_id),
    mission: mission_id === null ? "" : String(mission_id),
    start: localText(start),
    zone,
    notes: description ?? "",
  };
}

const seriesDraft = ({ frequency, interval, weekdays: days, weekStart, end }: Repetition) => ({
  repeats: frequency,
  interval: String(interval),
  weekdays: days,
  weekStart,
  ends: end.kind,
  ...(end.kind === "count" && { count: String(end.count) }),
  ...(end.kind === "day" && { lastDay: end.day }),
});

/** The instant of the start; undefined while the field is empty. */
export function startOf({ start, zone }: Draft): number | undefined {
  const local = parseLocal(start);
  return local === undefined ? undefined : zone.toInstant(local);
}

/** The rule that the draft says; null for a single event. `before` is the rule that the event has. */
export function ruleOf(draft: Draft, start: number, before: string | null): string | null {
  const { repeats, zone } = draft;
  if (repeats === "once") return null;
  if (repeats === "kept") return moveRule(before ?? "", start);
  const end: End =
    draft.ends === "count"
      ? { kind: "count", count: Number(draft.count) }
      : draft.ends === "day"
        ? { kind: "day", day: draft.lastDay }
        : { kind: "never" };
  const { weekdays, weekStart } = draft;
  return writeRule(
    { frequency: repeats, interval: Number(draft.interval), weekdays, weekStart, end },
    zone,
    start,
  );
}

/** A new event. Undefined while its time is not entered. */
export function newEventOf(draft: Draft): NewEvent | undefined {
  const start = startOf(draft);
  if (start === undefined) return undefined;
  return {
    title: draft.title,
    scheduled_time: new Date(start).toISOString(),
    drone_id: Number(draft.drone),
    mission_id: Number(draft.mission),
    description: draft.notes || null,
    recurrence_rule: ruleOf(draft, start, null),
  };
}

/** What the user changed of an event: what others change meanwhile stays. Undefined while its time is not entered. */
export function changesOf(draft: Draft, event: CalendarEvent): Changes | undefined {
  const before = draftOf(event);
  const start = startOf(draft);
  if (start === undefined) return undefined;
  const isMoved = start !== Date.parse(event.scheduled_time);
  const rule = ruleOf(draft, start, event.recurrence_rule);
  // A rule that means the same is left as its writer wrote it, unless it names the start.
  const saysTheSame =
    ruleOf(draft, start, null) === ruleOf(before, start, null) && draft.repeats === before.repeats;
  const keptRule = event.recurrence_rule === null ? null : moveRule(event.recurrence_rule, start);
  const recurrence_rule = saysTheSame ? keptRule : rule;
  return {
    ...(draft.title !== before.title && { title: draft.title }),
    ...(isMoved && { scheduled_time: new Date(start).toISOString() }),
    ...(draft.drone !== before.drone && { drone_id: Number(draft.drone) }),
    ...(draft.mission !== before.mission && { mission_id: Number(draft.mission) }),
    ...(draft.notes !== before.notes && { description: draft.notes || null }),
    ...((isMoved || !saysTheSame) && recurrence_rule !== event.recurrence_rule && { recurrence_rule }),
  };
}
