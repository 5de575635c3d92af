import { useComputed, useSignalEffect } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useLocation } from "preact-iso/router";
import { paths, pathTo } from "../../paths";
import { strings } from "../../strings";
import { DroneRow, rowId } from "./drone-row";
import type { FleetModel } from "./fleet-model";
import { useRowsInView } from "./rows-in-view";

const text = strings.fleet;

/** Of `fleet.css`. */
const ROW_REM = 4;

/**
 * The drones that are shown, one of which may be selected. Only the rows in view are drawn: a fleet of hundreds costs what a
 * screen costs.
 */
export function DroneList({ fleet }: { fleet: FleetModel }) {
  const { scroller, rows, reveal } = useRowsInView(ROW_REM);
  const { route } = useLocation();
  const shown = fleet.shown.value;
  const activeId = useComputed(() =>
    fleet.selectedId.value === undefined ? undefined : rowId(fleet.selectedId.value),
  );
  const indexOfSelected = () => fleet.shown.peek().findIndex(({ id }) => id === fleet.selectedId.peek());
  useSignalEffect(() => {
    if (fleet.selectedId.value === undefined) return;
    const at = indexOfSelected();
    if (at >= 0) reveal(at);
  });

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const at = indexOfSelected();
    const last = shown.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8, Home: 0, End: last }[
      event.key
    ];
    if (to !== undefined) fleet.select(shown[Math.max(0, Math.min(last, to))]?.id);
    else if (event.key === "Enter" && at >= 0) fly(shown[at]?.id);
    else return;
    event.preventDefault();
  };

  const idAt = ({ target }: MouseEvent): number | undefined => {
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-id]") : null;
    return row ? Number(row.dataset.id) : undefined;
  };
  const fly = (id: number | undefined) => id !== undefined && route(pathTo(paths.fly, id));

  if (shown.length === 0) return <NoMatch fleet={fleet} />;
  const { first, count } = rows.value;
  return (
    <div
      ref={scroller}
      class="drones"
      role="listbox"
      aria-label={text.list}
      aria-activedescendant={activeId}
      tabIndex={0}
      onClick={(event) => {
        fleet.select(idAt(event) ?? fleet.selectedId.peek());
        event.currentTarget.focus({ preventScroll: true });
      }}
      onDblClick={(event) => fly(idAt(event))}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${shown.length * ROW_REM}rem` }}>
        {shown.slice(first, first + count).map((drone, at) => (
          <DroneRow
            key={drone.id}
            fleet={fleet}
            drone={drone}
            index={first + at}
            size={shown.length}
            top={`${(first + at) * ROW_REM}rem`}
          />
        ))}
      </div>
    </div>
  );
}

const NoMatch = ({ fleet }: { fleet: FleetModel }) => (
  <div class="drones no-match">
    <p>{text.noMatch}</p>
    <button
      type="button"
      onClick={() => {
        fleet.name.value = "";
        fleet.filter.value = "all";
      }}
    >
      {text.showAll}
    </button>
  </div>
);
