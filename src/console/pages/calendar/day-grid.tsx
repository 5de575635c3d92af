import type { Signal } from "@preact/signals";
import type { TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { strings } from "../../strings";
import { addDays, addMonths, type Day, weekdayOf, weekOf } from "./day";
import { Mark } from "./mark";
import { type CalendarEvent, stateOf } from "./states";
import { longDate, timeOf, weekdayNames } from "./words";

const text = strings.calendar;

export type View = "month" | "week";

interface DayGridProps {
  readonly view: View;
  readonly weeks: readonly (readonly Day[])[];
  readonly firstWeekday: number;
  readonly today: Day;
  /** An instant. */
  readonly now: number;
  readonly selected: Signal<Day>;
  readonly events: ReadonlyMap<Day, readonly CalendarEvent[]>;
  readonly nameOfDrone: (id: number) => string;
  readonly isBusy: boolean;
  readonly onOpen: (event: CalendarEvent) => void;
  /** Called by Enter on a day. */
  readonly onEnter: () => void;
}

/** Flights of a day that a cell of the month shows. */
const SHOWN = 3;

/**
 * Days in rows of a week, as the ARIA practices' grid: one of them is in the order of Tab, and the arrow keys, Home, End,
 * Page Up and Page Down select another one. The selected day's flights are beside the grid, for the keyboard too; those in
 * its cells are for pointers.
 */
export function DayGrid(props: DayGridProps) {
  const { view, weeks, firstWeekday, selected, isBusy, onEnter } = props;
  const grid = useRef<HTMLTableElement>(null);
  const hasMoved = useRef(false);
  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    hasMoved.current = false;
  }, [selected.value]);

  const onKeyDown = (event: TargetedEvent<HTMLElement, KeyboardEvent>) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === event.currentTarget && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      onEnter();
      return;
    }
    const day = dayByKey(event.key, selected.value, view, firstWeekday);
    if (!day) return;
    event.preventDefault();
    hasMoved.current = true;
    selected.value = day;
  };

  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA's grid pattern has tables as grids.
    <table ref={grid} role="grid" aria-label={text.title} aria-busy={isBusy} class={`days ${view}`}>
      <thead>
        <tr>
          {weekOf(weeks[0]?.[0] as Day, firstWeekday).map((day) => {
            const { short, long } = weekdayNames(weekdayOf(day));
            return (
              <th key={day} scope="col" abbr={long}>
                {short}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {weeks.map((days) => (
          <tr key={days[0]}>
            {days.map((day) => (
              <DayCell key={day} day={day} onKeyDown={onKeyDown} {...props} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function dayByKey(key: string, day: Day, view: View, firstWeekday: number): Day | undefined {
  const byPage = (pages: number) => (view === "month" ? addMonths(day, pages) : addDays(day, 7 * pages));
  switch (key) {
    case "ArrowLeft":
      return addDays(day, -1);
    case "ArrowRight":
      return addDays(day, 1);
    case "ArrowUp":
      return addDays(day, -7);
    case "ArrowDown":
      return addDays(day, 7);
    case "Home":
      return weekOf(day, firstWeekday)[0];
    case "End":
      return weekOf(day, firstWeekday)[6];
    case "PageUp":
      return byPage(-1);
    case "PageDown":
      return byPage(1);
    default:
      return undefined;
  }
}

interface DayCellProps extends DayGridProps {
  readonly day: Day;
  readonly onKeyDown: (event: TargetedEvent<HTMLElement, KeyboardEvent>) => void;
}

function DayCell(props: DayCellProps) {
  const { day, view, today, now, selected, events, nameOfDrone, onOpen, onKeyDown } = props;
  const all = events.get(day) ?? [];
  const shown = view === "month" && all.length > SHOWN ? all.slice(0, SHOWN - 1) : all;
  const isSelected = selected.value === day;
  const isOutside = view === "month" && day.slice(0, 7) !== selected.value.slice(0, 7);
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as above.
      role="gridcell"
      tabIndex={isSelected ? 0 : -1}
      aria-selected={isSelected}
      aria-current={day === today ? "date" : undefined}
      class={isOutside ? "outside" : undefined}
      data-day={day}
      onClick={() => {
        selected.value = day;
      }}
      onKeyDown={onKeyDown}
    >
      <div class="day">
        <span class="visually-hidden">{`${longDate(day)}, ${text.days(all.length)}.`}</span>
        <span class="date" aria-hidden="true">
          <span class="weekday">{weekdayNames(weekdayOf(day)).short} </span>
          {Number(day.slice(8))}
        </span>
        {shown.map((event) => (
          <Chip
            key={`${event.id} ${event.scheduled_time}`}
            {...{ event, now, onOpen }}
            drone={view === "week" ? nameOfDrone(event.drone_id) : ""}
          />
        ))}
        {shown.length < all.length && <span class="more">{text.more(all.length - shown.length)}</span>}
      </div>
    </td>
  );
}

interface ChipProps {
  readonly event: CalendarEvent;
  readonly now: number;
  readonly drone: string;
  readonly onOpen: (event: CalendarEvent) => void;
}

function Chip({ event, now, drone, onOpen }: ChipProps) {
  const state = stateOf(event, now);
  return (
    <button type="button" tabIndex={-1} class={`chip ${state}`} onClick={() => onOpen(event)}>
      <Mark state={state} />
      <span class="chip-time">{timeOf(Date.parse(event.scheduled_time))}</span>
      <span class="chip-title">{event.title}</span>
      {drone !== "" && <span class="chip-drone">{drone}</span>}
    </button>
  );
}
