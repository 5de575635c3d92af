import { z } from "zod";
import { BodyId, Id } from "../../http/route";
import { IsoTime } from "./iso-time";

/** Postgres cannot store U+0000 in a text. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => !value.includes("\u0000"), "may not contain U+0000");

export const Status = z.enum(["scheduled", "in_progress", "completed", "cancelled", "failed"]);
export type Status = z.output<typeof Status>;

const fields = {
  title: text(200).min(1),
  scheduled_time: IsoTime.describe("ISO 8601; UTC without an offset. Of a series: its first occurrence."),
  drone_id: BodyId,
  mission_id: BodyId,
  description: text(5_000).nullable(),
  status: Status,
  recurrence_rule: text(1_000)
    .nullable()
    .transform((rule) => rule || null)
    .describe(
      "RFC 5545, such as FREQ=WEEKLY;BYDAY=MO. A line DTSTART;TZID=… before it keeps the local time when clocks change. Without one the rule counts in UTC.",
    ),
};

export const NewEvent = z
  .object(fields)
  .partial({ description: true, status: true, recurrence_rule: true })
  .meta({ id: "NewCalendarEvent" });
export type NewEvent = z.output<typeof NewEvent>;

export const EventChange = z
  .object({ ...fields, execution_id: BodyId.nullable() })
  .partial()
  .meta({ id: "CalendarEventChange" });
export type EventChange = z.output<typeof EventChange>;

export const OccurrenceStatus = z
  .object({ occurrence_time: IsoTime, status: Status, execution_id: BodyId.nullable().optional() })
  .meta({ id: "CalendarOccurrenceStatus" });
export type OccurrenceStatus = z.output<typeof OccurrenceStatus>;

export const EventsQuery = z.object({
  start: IsoTime.optional().describe("ISO 8601; UTC without an offset. Now when absent."),
  end: IsoTime.optional().describe("ISO 8601; UTC without an offset. 90 days after the start when absent."),
  drone_id: Id.optional().describe("Only events of this drone."),
});
export type EventsQuery = z.output<typeof EventsQuery>;

export const OccurrenceQuery = z.object({
  occurrence_time: IsoTime.describe("The time of one occurrence. ISO 8601; UTC without an offset."),
});

export const EventReply = z
  .object({
    id: BodyId,
    user_id: BodyId,
    drone_id: BodyId,
    mission_id: BodyId.nullable().describe("null once the mission was deleted."),
    execution_id: BodyId.nullable(),
    title: z.string(),
    description: z.string().nullable(),
    scheduled_time: z.iso.datetime().describe("Of an occurrence: the time of this one."),
    status: Status,
    recurrence_rule: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    is_occurrence: z.boolean().optional().describe("true for one occurrence of a series."),
    original_scheduled_time: z.iso.datetime().optional().describe("Of an occurrence: its series' start."),
  })
  .meta({ id: "CalendarEvent" });
