import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { duration } from "../../../format/time";
import { useFleet } from "../../../live/context";
import { linkAge } from "../../../live/live";
import { ShowLoaded } from "../../../parts/loaded";
import { now } from "../../../parts/now";
import { strings } from "../../../strings";
import { useDrones } from "./drones";

const text = strings.plan.drone;

/** One of the user's drones, and how its link is. */
export function DroneChoice({ chosen }: { chosen: Signal<number | undefined> }) {
  const id = useId();
  const drones = useDrones();
  const fleet = useFleet();
  return (
    <ShowLoaded of={drones}>
      {(found) => {
        if (found.length === 0) return <p>{text.none}</p>;
        const drone =
          found.find((one) => one.id === chosen.value) ?? (found.length === 1 ? found[0] : undefined);
        if (drone && chosen.value !== drone.id) chosen.value = drone.id;
        return (
          <div class="field">
            <label for={id}>{text.choose}</label>
            <select
              id={id}
              value={drone ? String(drone.id) : ""}
              onChange={({ currentTarget }) => {
                chosen.value = Number(currentTarget.value);
              }}
            >
              {!drone && <option value="">{text.chooseOne}</option>}
              {found.map((one) => (
                <option key={one.id} value={String(one.id)}>
                  {one.name}
                </option>
              ))}
            </select>
            {drone && <p class="hint link-state">{linkInWords(fleet.value?.get(drone.id))}</p>}
          </div>
        );
      }}
    </ShowLoaded>
  );
}

function linkInWords(snapshot: Parameters<typeof linkAge>[0] | undefined): string {
  const age = snapshot && linkAge(snapshot, now.value);
  if (snapshot === undefined || age === undefined) return text.notHeard;
  const { armed, mode } = snapshot.state;
  const state = [armed ? text.armed : text.disarmed, mode].filter(Boolean).join(", ");
  return text.heard(duration(age), state);
}
