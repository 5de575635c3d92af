import { strings } from "../../strings";
import type { EventState } from "./states";

const shapes: Readonly<Record<EventState, string>> = {
  scheduled: "",
  in_progress: "M6.2 4.8l5 3.2-5 3.2z",
  completed: "M4.6 8.2l2.4 2.4 4.4-4.8",
  failed: "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6",
  missed: "M8 4.4v4.4M8 11.1v.4",
  cancelled: "M4.8 8h6.4",
};

/** The state as a shape, so that it needs no colour; the style sheet gives it one. */
export const Mark = ({ state }: { state: EventState }) => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    class={`state-mark ${state}`}
    role="img"
    aria-label={strings.calendar.states[state]}
  >
    <circle cx="8" cy="8" r="6.7" />
    <path d={shapes[state]} />
  </svg>
);
