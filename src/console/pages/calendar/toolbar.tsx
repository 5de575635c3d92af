import type { Signal } from "@preact/signals";
import type { components } from "../../../client/api-types";
import { strings } from "../../strings";
import type { Day } from "./day";
import type { View } from "./day-grid";
import { monthName, shortDate, zoneText } from "./words";
import { here } from "./zone";

const text = strings.calendar;

interface ToolbarProps {
  readonly view: Signal<View>;
  /** The id of the one whose flights are shown, or empty. */
  readonly drone: Signal<string>;
  readonly drones: readonly components["schemas"]["Drone"][];
  readonly day: Day;
  readonly weeks: readonly (readonly Day[])[];
  /** Shows the time before (-1) or after (1). */
  readonly page: (pages: number) => void;
  readonly onToday: () => void;
}

export function Toolbar({ view, drone, drones, day, weeks, page, onToday }: ToolbarProps) {
  const shown = view.value;
  const [week = []] = weeks;
  const period =
    shown === "month" ? monthName(day) : `${shortDate(week[0] as Day)} – ${shortDate(week[6] as Day)}`;
  return (
    <div class="calendar-bar">
      <div class="actions">
        <Turn label={text.previous[shown]} path="M15 5l-7 7 7 7" onClick={() => page(-1)} />
        <button type="button" onClick={onToday}>
          {text.today}
        </button>
        <Turn label={text.next[shown]} path="M9 5l7 7-7 7" onClick={() => page(1)} />
      </div>
      <div class="period">
        <h2 aria-live="polite">{period}</h2>
        <p class="quiet-text">{text.localTimes(zoneText(here, day))}</p>
      </div>
      <div class="calendar-choices">
        <select
          aria-label={text.drone}
          value={drone.value}
          onChange={({ currentTarget }) => {
            drone.value = currentTarget.value;
          }}
        >
          <option value="">{text.allDrones}</option>
          {drones.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <fieldset aria-label={text.views.label} class="segments">
          {(["month", "week"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={shown === one}
              onClick={() => {
                view.value = one;
              }}
            >
              {text.views[one]}
            </button>
          ))}
        </fieldset>
      </div>
    </div>
  );
}

const Turn = ({ label, path, onClick }: { label: string; path: string; onClick: () => void }) => (
  <button type="button" class="turn" aria-label={label} title={label} onClick={onClick}>
    <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
);
