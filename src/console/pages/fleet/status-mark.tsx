import { useComputed } from "@preact/signals";
import type { FleetModel } from "./fleet-model";

/** By shape and colour: a full arrow flies, a full dot is linked, a ring has no link. The text beside it says the same. */
export function StatusMark({ fleet, id }: { fleet: FleetModel; id: number }) {
  const looks = useComputed(() => {
    const { link, activity } = fleet.statusOf(id);
    return `mark ${link} ${activity}`;
  });
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" class={looks} aria-hidden="true">
      <path class="mark-flying" d="M12 2l8 20-8-4.5L4 22z" />
      <circle class="mark-dot" cx="12" cy="12" r="7" />
    </svg>
  );
}
