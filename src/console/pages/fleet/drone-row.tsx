import { useComputed } from "@preact/signals";
import { height } from "../../format/units";
import { LiveText } from "../../parts/live-text";
import { strings } from "../../strings";
import { hasLowBattery, isLostInFlight } from "./drone-status";
import { batteryText, doingText, statusText } from "./drone-texts";
import type { Drone, FleetModel } from "./fleet-model";
import { StatusMark } from "./status-mark";

export const rowId = (id: number): string => `drone-${id}`;

interface DroneRowProps {
  readonly fleet: FleetModel;
  readonly drone: Drone;
  /** Its index among those that are shown, and how many these are. */
  readonly index: number;
  readonly size: number;
  readonly top: string;
}

/** One drone of the list. What changes are its texts, not the row. */
export function DroneRow({ fleet, drone: { id, name }, index, size, top }: DroneRowProps) {
  const snapshot = fleet.snapshotOf(id);
  const looks = useComputed(() => {
    const status = fleet.statusOf(id);
    const isOld = status.link !== "online";
    return `drone-row${isOld ? " old" : ""}${isLostInFlight(status) ? " lost" : ""}`;
  });
  const batteryLooks = useComputed(() => (hasLowBattery(snapshot.value) ? "number low" : "number"));
  const isSelected = useComputed(() => fleet.selectedId.value === id);
  return (
    <div
      id={rowId(id)}
      class={looks}
      role="option"
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={size}
      data-id={id}
      style={{ top }}
      // The list has the focus, and names the selected one.
      tabIndex={-1}
    >
      <StatusMark fleet={fleet} id={id} />
      <strong class="drone-name">{name}</strong>
      <span class={batteryLooks}>
        <span class="visually-hidden">{strings.fleet.values.battery} </span>
        <LiveText of={() => batteryText(snapshot.value?.state.battery)} />
      </span>
      <span class="drone-state">
        <LiveText of={() => statusText(fleet.statusOf(id), fleet.links.attemptOf(id).value)} />
        <LiveText of={() => doingText(snapshot.value?.state)} />
      </span>
      <span class="number">
        <span class="visually-hidden">{strings.fleet.values.height} </span>
        <LiveText of={() => height(snapshot.value?.state.position?.relative_altitude)} />
      </span>
    </div>
  );
}
