import type { ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lngLat } from "../../../map/features";
import { useMap } from "../../../map/map-context";
import type { EditPoint } from "./edit-layer";

interface ShowSelectedProps {
  readonly points: ReadonlySignal<readonly EditPoint[]>;
  readonly selected: ReadonlySignal<number | undefined>;
}

/** Moves the map when a point is selected that lies outside of it. */
export function ShowSelected({ points, selected }: ShowSelectedProps) {
  const map = useMap();
  useEffect(() => {
    const point = points.peek().find(({ key }) => key === selected.value);
    if (point && !map.getBounds().contains(lngLat(point))) map.panTo(lngLat(point), { duration: 300 });
  }, [map, selected.value]);
  return null;
}
