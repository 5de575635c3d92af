import type { ReadonlySignal } from "@preact/signals";
import { colours } from "../colours";
import { collection, lineFeature, type Place } from "../features";
import { order, useLayers } from "../use-layers";

/** Where a vehicle was. */
export function TrackLayer({
  id = "track",
  places,
}: {
  id?: string;
  places: ReadonlySignal<readonly Place[]>;
}) {
  useLayers(
    {
      id,
      order: order.track,
      data: () => collection(places.value.length > 1 ? [lineFeature(places.value)] : []),
      layers: () => [
        {
          id,
          type: "line",
          layout: { "line-join": "round", "line-cap": "round" },
          paint: { "line-color": colours.value.track, "line-width": 3 },
        },
      ],
    },
    [places],
  );
  return null;
}
