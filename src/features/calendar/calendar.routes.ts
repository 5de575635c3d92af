import { z } from "zod";
import { ids, Message, ReplyWithMessage, type Route, route } from "../../http/route";
import {
  EventChange,
  EventReply,
  EventsQuery,
  NewEvent,
  OccurrenceQuery,
  OccurrenceStatus,
} from "./calendar.schema";
import type { CalendarService } from "./calendar.service";

const params = ids("event_id");
const common = {
  tag: "Calendar",
  guard: "user",
  envelope: "A",
  errors: { conflict: 400, constraint_violated: 400, still_referenced: 400 },
} as const;

export function calendarRoutes(service: CalendarService): readonly Route[] {
  return [
    route({
      ...common,
      method: "get",
      path: "/calendar/events",
      summary: "Your events from start to end, both included, series expanded",
      description:
        "Without start and end: the next 90 days. When there are too many occurrences to list or to compute, only some are listed, and `message` names the series that may have more.",
      query: EventsQuery,
      success: { status: 200, schema: z.array(EventReply) },
      handle: async ({ caller, query }) => {
        const { events, cut } = await service.list(caller.id, query);
        if (cut.length === 0) return events;
        const names = cut.slice(0, 5).map(({ id, title }) => `${id} (${title})`);
        return new ReplyWithMessage(
          events,
          `Some occurrences may be missing of ${cut.length === 1 ? "event" : `${cut.length} events, such as`} ${names.join(", ")}: ask for a shorter time or for one drone.`,
        );
      },
    }),
    route({
      ...common,
      method: "get",
      path: "/calendar/events/:event_id",
      summary: "One event",
      params,
      success: { status: 200, schema: EventReply },
      handle: ({ caller, params }) => service.get(caller.id, params.event_id),
    }),
    route({
      ...common,
      method: "post",
      path: "/calendar/events",
      summary: "Plan a flight or a series of flights",
      description: "A calendar event starts nothing by itself. Two events at one time need different titles.",
      body: NewEvent,
      success: { status: 201, schema: EventReply },
      documents: { 404: "The drone or the mission is not yours." },
      handle: ({ caller, body }) => service.create(caller.id, body),
    }),
    route({
      ...common,
      method: "put",
      path: "/calendar/events/:event_id",
      summary: "Change an event, or link its execution",
      description: "Keys that are left out stay as they are.",
      params,
      body: EventChange,
      success: { status: 200, schema: EventReply },
      handle: ({ caller, params, body }) => service.update(caller.id, params.event_id, body),
    }),
    route({
      ...common,
      method: "delete",
      path: "/calendar/events/:event_id",
      summary: "Delete an event with all its occurrences",
      params,
      success: { status: 200, schema: Message },
      handle: async ({ caller, params }) => {
        await service.remove(caller.id, params.event_id);
        return { message: "The event was deleted." };
      },
    }),
    route({
      ...common,
      method: "put",
      path: "/calendar/events/:event_id/occurrences/status",
      summary: "Set the status of one occurrence",
      description: "`scheduled` removes what was set for this occurrence.",
      params,
      body: OccurrenceStatus,
      success: { status: 200, schema: EventReply },
      documents: { 400: "The event does not recur, or not at this time." },
      handle: ({ caller, params, body }) => service.setOccurrence(caller.id, params.event_id, body),
    }),
    route({
      ...common,
      method: "delete",
      path: "/calendar/events/:event_id/occurrences",
      summary: "Cancel one occurrence",
      description: "The occurrence is still listed, with the status `cancelled`.",
      params,
      query: OccurrenceQuery,
      success: { status: 200, schema: EventReply },
      documents: { 400: "The event does not recur, or not at this time." },
      handle: ({ caller, params, query }) =>
        service.setOccurrence(caller.id, params.event_id, {
          occurrence_time: query.occurrence_time,
          status: "cancelled",
        }),
    }),
  ];
}
