import type { ReadonlySignal } from "@preact/signals";
import { colours } from "../colours";
import { collection, type LatLng, lineFeature } from "../features";
import { order, useLayers } from "../use-layers";

/** Where a vehicle was. */
export function TrackLayer({
  id = "track",
  positions,
}: {
  id?: string;
  positions: ReadonlySignal<readonly LatLng[]>;
}) {
  useLayers(
    {
      id,
      order: order.track,
      data: () => collection(positions.value.length > 1 ? [lineFeature(positions.value)] : []),
      layers: () => [
        {
          id,
          type: "line",
          layout: { "line-join": "round", "line-cap": "round" },
          paint: { "line-color": colours.value.track, "line-width": 3 },
        },
      ],
    },
    [positions],
  );
  return null;
}
