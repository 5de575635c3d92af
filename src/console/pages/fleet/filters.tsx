import { useId } from "preact/hooks";
import { strings } from "../../strings";
import { filterNames } from "./drone-status";
import type { FleetModel } from "./fleet-model";

const text = strings.fleet;

/** Narrows list and map by name and state. Each state says how many drones have it, whatever is shown. */
export function Filters({ fleet }: { fleet: FleetModel }) {
  const id = useId();
  return (
    <search class="fleet-filters">
      <div class="field">
        <label class="visually-hidden" for={id}>
          {text.search}
        </label>
        <input
          id={id}
          type="search"
          placeholder={text.search}
          autocomplete="off"
          spellcheck={false}
          value={fleet.name}
          onInput={({ currentTarget }) => (fleet.name.value = currentTarget.value)}
        />
      </div>
      <fieldset class="fleet-chips">
        <legend class="visually-hidden">{text.filters.label}</legend>
        {filterNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={fleet.filter.value === name}
            onClick={() => (fleet.filter.value = name)}
          >
            {text.filters[name]} <span class="number">{fleet.counts.value[name]}</span>
          </button>
        ))}
      </fieldset>
    </search>
  );
}
