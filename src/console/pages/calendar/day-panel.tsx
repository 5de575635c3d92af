import type { RefObject } from "preact";
import { strings } from "../../strings";
import type { Day } from "./day";
import { Mark } from "./mark";
import { type CalendarEvent, stateOf } from "./states";
import { longDate, timeOf } from "./words";

const text = strings.calendar;

interface DayPanelProps {
  readonly day: Day;
  readonly events: readonly CalendarEvent[];
  /** An instant. */
  readonly now: number;
  readonly nameOfDrone: (id: number) => string;
  readonly panel: RefObject<HTMLElement | null>;
  readonly onOpen: (event: CalendarEvent) => void;
  readonly onAdd: () => void;
}

/** The flights of the selected day. */
export const DayPanel = ({ day, events, now, nameOfDrone, panel, onOpen, onAdd }: DayPanelProps) => (
  <section ref={panel} class="day-panel" aria-labelledby="selected-day">
    <h2 id="selected-day">{longDate(day)}</h2>
    <button type="button" class="primary" onClick={onAdd}>
      {text.add}
    </button>
    {events.length === 0 ? (
      <p class="quiet-text">{text.none}</p>
    ) : (
      <ul>
        {events.map((event) => {
          const state = stateOf(event, now);
          const at = Date.parse(event.scheduled_time);
          return (
            <li key={`${event.id} ${at}`}>
              <button type="button" class={`entry ${state}`} onClick={() => onOpen(event)}>
                <span class="entry-time">{timeOf(at)}</span>
                <span class="entry-title">{event.title}</span>
                <span class="entry-state">
                  <Mark state={state} />
                  {/* The mark says it already to those who do not see it. */}
                  <span aria-hidden="true">{text.states[state]}</span>
                </span>
                <span class="entry-drone">
                  {nameOfDrone(event.drone_id)}
                  {event.is_occurrence && ` · ${text.series}`}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    )}
  </section>
);
