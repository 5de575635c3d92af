import type { FeatureCollection } from "geojson";
import { FONT } from "../base-style";
import { colours } from "../colours";
import { collection, type LatLng, lineFeature, pointFeature } from "../features";
import { order, useLayers } from "../use-layers";

export interface PlanPoint extends LatLng {
  /** What stands at it, such as its sequence. */
  readonly label: string;
  /** The vehicle flies to it now. */
  readonly isCurrent?: boolean;
}

/** The points of a mission that have a position, and the line through them. Rendered anew when `points` is another array. */
export function PlanLayer({ id = "plan", points }: { id?: string; points: readonly PlanPoint[] }) {
  useLayers(
    {
      id,
      order: order.plan,
      data: () => planFeatures(points),
      layers: () => {
        const { plan, planCurrent, halo } = colours.value;
        return [
          {
            id: `${id}-line`,
            type: "line",
            filter: ["==", ["geometry-type"], "LineString"],
            paint: { "line-color": plan, "line-width": 2.5 },
          },
          {
            id: `${id}-points`,
            type: "circle",
            filter: ["==", ["geometry-type"], "Point"],
            paint: {
              "circle-radius": 11,
              "circle-color": ["case", ["get", "isCurrent"], planCurrent, plan],
              "circle-stroke-color": halo,
              "circle-stroke-width": 2,
            },
          },
          {
            id: `${id}-labels`,
            type: "symbol",
            filter: ["==", ["geometry-type"], "Point"],
            layout: {
              "text-field": ["get", "label"],
              "text-font": FONT,
              "text-size": 12,
              "text-allow-overlap": true,
            },
            paint: { "text-color": halo },
          },
        ];
      },
    },
    [points],
  );
  return null;
}

const planFeatures = (points: readonly PlanPoint[]): FeatureCollection =>
  collection([
    ...(points.length > 1 ? [lineFeature(points)] : []),
    ...points.map((point) =>
      pointFeature(point, { label: point.label, isCurrent: point.isCurrent ?? false }),
    ),
  ]);
