import type { ReadonlySignal } from "@preact/signals";
import { strings } from "../../strings";
import { FONT } from "../base-style";
import { colours } from "../colours";
import { collection, type LatLng, pointFeature } from "../features";
import { order, useLayers } from "../use-layers";

/** Where a vehicle returns to. */
export function HomeLayer({
  id = "home",
  position,
}: {
  id?: string;
  position: ReadonlySignal<LatLng | undefined>;
}) {
  useLayers(
    {
      id,
      order: order.home,
      data: () => collection(position.value ? [pointFeature(position.value)] : []),
      layers: () => {
        const { home, halo } = colours.value;
        return [
          {
            id: `${id}-ground`,
            type: "circle",
            paint: {
              "circle-radius": 12,
              "circle-color": home,
              "circle-stroke-color": halo,
              "circle-stroke-width": 2,
            },
          },
          {
            id,
            type: "symbol",
            layout: {
              "text-field": strings.map.home,
              "text-font": FONT,
              "text-size": 14,
              "text-allow-overlap": true,
            },
            paint: { "text-color": halo },
          },
        ];
      },
    },
    [position],
  );
  return null;
}
