import { useComputed, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { lngLat } from "../../map/features";
import { DroneLayer, type DroneMarker } from "../../map/layers/drone-layer";
import { useMap } from "../../map/map-context";
import { MapView } from "../../map/map-view";
import { now } from "../../parts/now";
import { strings } from "../../strings";
import { statusOf } from "./drone-status";
import type { Drone, FleetModel } from "./fleet-model";

/** The drones that are shown, where they are or were last. */
export function FleetMap({ fleet }: { fleet: FleetModel }) {
  const before = useRef<readonly DroneMarker[]>([]);
  // The same array as long as nothing moves or grows old: the map is drawn anew for another one.
  const markers = useComputed(() => {
    const found = fleet.shown.value.flatMap((drone) => markerOf(fleet, drone));
    const isSame =
      found.length === before.current.length &&
      found.every((marker, at) => isSameMarker(marker, before.current[at] as DroneMarker));
    if (!isSame) before.current = found;
    return before.current;
  });
  return (
    <MapView label={strings.fleet.map} fit={markers.value}>
      <DroneLayer drones={markers} onSelect={(id) => fleet.select(id)} />
      <KeepSelectedInView fleet={fleet} />
    </MapView>
  );
}

function markerOf(fleet: FleetModel, { id, name }: Drone): DroneMarker[] {
  const snapshot = fleet.newestOf(id);
  const position = snapshot?.state.position;
  if (!position) return [];
  const { link, activity } = statusOf(snapshot, now.value);
  const isArmed = activity === "armed" || activity === "flying";
  return [
    {
      ...{ id, name, lat: position.latitude, lng: position.longitude },
      heading: position.heading ?? undefined,
      state: link !== "online" ? "silent" : isArmed ? "armed" : "ready",
      isSelected: fleet.selectedId.value === id,
    },
  ];
}

const isSameMarker = (a: DroneMarker, b: DroneMarker): boolean =>
  a.id === b.id &&
  a.lat === b.lat &&
  a.lng === b.lng &&
  a.heading === b.heading &&
  a.state === b.state &&
  a.isSelected === b.isSelected &&
  a.name === b.name;

/** A drone that is selected in the list comes into view, once. */
function KeepSelectedInView({ fleet }: { fleet: FleetModel }) {
  const map = useMap();
  useSignalEffect(() => {
    const id = fleet.selectedId.value;
    const position = id === undefined ? undefined : fleet.snapshotOf(id).peek()?.state.position;
    if (!position) return;
    const at = lngLat({ lat: position.latitude, lng: position.longitude });
    if (!map.getBounds().contains(at)) map.easeTo({ center: at });
  });
  return null;
}
