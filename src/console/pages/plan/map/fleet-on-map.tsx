import { useComputed } from "@preact/signals";
import { useFleet } from "../../../live/context";
import { linkAge } from "../../../live/live";
import type { LatLng } from "../../../map/features";
import { DroneLayer, type DroneMarker } from "../../../map/layers/drone-layer";
import { now } from "../../../parts/now";
import { useDrones } from "../drone/drones";

/** Milliseconds after which a position is old. */
const STALE_MS = 2_000;

/** The user's drones where they are, so that a plan is drawn around them. */
export function FleetOnMap() {
  const fleet = useFleet();
  const { data } = useDrones();
  const drones = useComputed<DroneMarker[]>(() => {
    const names = new Map(data.value?.map(({ id, name }) => [id, name]));
    return [...(fleet.value?.values() ?? [])].flatMap((snapshot) => {
      const { drone_id: id, position, armed } = snapshot.state;
      if (!position) return [];
      const isSilent = (linkAge(snapshot, now.value) ?? Number.POSITIVE_INFINITY) > STALE_MS;
      return [
        {
          ...{ id, name: names.get(id) ?? "", lat: position.latitude, lng: position.longitude },
          heading: position.heading ?? undefined,
          state: isSilent ? "silent" : armed ? "armed" : "ready",
        },
      ];
    });
  });
  return <DroneLayer drones={drones} />;
}

/** Where the user's drones were last. */
export function useFleetPositions(): readonly LatLng[] {
  const fleet = useFleet();
  return [...(fleet.value?.values() ?? [])].flatMap(({ state: { position } }) =>
    position ? [{ lat: position.latitude, lng: position.longitude }] : [],
  );
}
