import type { components } from "../../../client/api-types";

/** One flight, or one occurrence of a series. */
export type CalendarEvent = components["schemas"]["CalendarEvent"];
export type Status = CalendarEvent["status"];

/** missed: planned, and an hour after its time nobody has said that it was flown. */
export type EventState = Status | "missed";

const MISSED_AFTER_MS = 3_600_000;

/** At an instant. */
export const stateOf = ({ status, scheduled_time }: CalendarEvent, now: number): EventState =>
  status === "scheduled" && Date.parse(scheduled_time) + MISSED_AFTER_MS < now ? "missed" : status;
