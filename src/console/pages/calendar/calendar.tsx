import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reply } from "../../../client/client";
import { useLive } from "../../live/context";
import { Heading } from "../../parts/heading";
import { Failure, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { addDays, addMonths, type Day, firstWeekday, utc, weekOf, weeksOfMonth } from "./day";
import { DayGrid } from "./day-grid";
import { DayPanel } from "./day-panel";
import { DeleteEvent } from "./delete-event";
import { EventDetails } from "./event-details";
import { EventForm } from "./event-form";
import { useMinute, useShown } from "./shown";
import type { CalendarEvent } from "./states";
import { Toolbar } from "./toolbar";
import { dayAt } from "./words";
import { here } from "./zone";
import "../../styles/details.css";
import "./calendar.css";
import "./event.css";

/** The dialog that is open. An event to edit is the row of its series, not an occurrence. */
type Open =
  | { readonly kind: "details" | "edit" | "delete"; readonly event: CalendarEvent }
  | { readonly kind: "add" };

/** A reply without a remark has this message. */
const NO_REMARK = "OK";

/** Planned flights, by month and by week. */
export default function Calendar() {
  const { api } = useSession().client;
  const now = useMinute();
  const today = dayAt(now.value);
  const { day, view } = useShown(today);
  const drone = useSignal("");
  const open = useSignal<Open | undefined>(undefined);
  const panel = useRef<HTMLElement>(null);

  const first = firstWeekday();
  const weeks = view.value === "month" ? weeksOfMonth(day.value, first) : [weekOf(day.value, first)];
  const { start, end } = bounds(weeks);
  const found = useLoaded(async () => {
    const query = { start, end, ...(drone.value ? { drone_id: Number(drone.value) } : {}) };
    const { data, message } = await reply(api.GET("/calendar/events", { params: { query } }));
    return { start, events: byDay(data), remark: message === NO_REMARK ? "" : message };
  }, [start, end, drone.value]);
  const plans = useLoaded(async () => {
    const [drones, missions] = await Promise.all([reply(api.GET("/drones")), reply(api.GET("/missions"))]);
    return { drones, missions };
  });
  useReturns(found.reload);

  const { drones = [], missions = [] } = plans.data.value ?? {};
  const events = found.data.value?.events ?? new Map<Day, readonly CalendarEvent[]>();
  const nameOfDrone = (id: number) => drones.find((one) => one.id === id)?.name ?? "";
  const show = (next: Open | undefined) => () => {
    open.value = next;
  };
  const close = show(undefined);
  const onOpen = (event: CalendarEvent) => {
    open.value = { kind: "details", event };
  };
  const onSaved = async (event?: CalendarEvent) => {
    close();
    if (event) day.value = dayAt(Date.parse(event.scheduled_time));
    await found.reload();
  };
  const page = (pages: number) => {
    day.value = view.value === "month" ? addMonths(day.value, pages) : addDays(day.value, 7 * pages);
  };

  return (
    <section class="calendar">
      <Heading>{strings.calendar.title}</Heading>
      <Toolbar
        {...{ view, drone, drones, page }}
        day={day.value}
        weeks={weeks}
        onToday={() => {
          day.value = today;
        }}
      />
      <Failure text={found.failure.value} retry={found.reload} />
      <Failure text={plans.failure.value} retry={plans.reload} />
      <p role="status" class="notice" hidden={!found.data.value?.remark}>
        {found.data.value?.remark}
      </p>
      <div class="calendar-body">
        <DayGrid
          {...{ weeks, today, events, nameOfDrone, onOpen }}
          view={view.value}
          firstWeekday={first}
          now={now.value}
          selected={day}
          isBusy={found.failure.value === "" && found.data.value?.start !== start}
          onEnter={() => {
            const flight = panel.current?.querySelector<HTMLElement>("li button");
            (flight ?? panel.current?.querySelector("button"))?.focus();
          }}
        />
        <DayPanel
          {...{ nameOfDrone, panel, onOpen }}
          day={day.value}
          events={events.get(day.value) ?? []}
          now={now.value}
          onAdd={show({ kind: "add" })}
        />
      </div>
      {open.value?.kind === "details" && (
        <EventDetails
          {...{ drones, missions }}
          event={open.value.event}
          now={now.value}
          onChanged={(event) => {
            open.value = { kind: "details", event };
            return found.reload();
          }}
          onEdit={(event) => show({ kind: "edit", event })()}
          onDelete={(event) => show({ kind: "delete", event })()}
          onClose={close}
        />
      )}
      {(open.value?.kind === "add" || open.value?.kind === "edit") && (
        <EventForm
          {...{ drones, missions, onSaved }}
          event={open.value.kind === "edit" ? open.value.event : undefined}
          day={day.value}
          isToday={day.value === today}
          drone={Number(drone.value) || undefined}
          isLoaded={plans.data.value !== undefined}
          onClose={close}
        />
      )}
      {open.value?.kind === "delete" && (
        <DeleteEvent event={open.value.event} onDeleted={() => onSaved()} onClose={close} />
      )}
    </section>
  );
}

/** From the first second of the first day to the last one of the last. */
function bounds(weeks: readonly (readonly Day[])[]): { readonly start: string; readonly end: string } {
  const [from, to] = [weeks[0]?.[0] as Day, addDays(weeks.at(-1)?.[6] as Day, 1)];
  const instant = (day: Day) => here.toInstant(utc(day).getTime());
  return {
    start: new Date(instant(from)).toISOString(),
    end: new Date(instant(to) - 1_000).toISOString(),
  };
}

function byDay(events: readonly CalendarEvent[]): ReadonlyMap<Day, readonly CalendarEvent[]> {
  const days = new Map<Day, CalendarEvent[]>();
  for (const event of events) {
    const day = dayAt(Date.parse(event.scheduled_time));
    const others = days.get(day);
    if (others) others.push(event);
    else days.set(day, [event]);
  }
  return days;
}

/** Loads again when the user comes back to the tab, or the connection to the gateway comes back. */
function useReturns(reload: () => Promise<void>): void {
  const connection = useLive().connection.value;
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === "connected" && wasLost.current) void reload();
    wasLost.current = connection === "lost";
  }, [connection]);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") void reload();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [reload]);
}
