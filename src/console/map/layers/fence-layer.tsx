import { colours } from "../colours";
import { circle, collection, type LatLng, polygonFeature } from "../features";
import { order, useLayers } from "../use-layers";

/** A polygon by its corners, or a circle by its middle and metres. */
export type FenceShape = { readonly isInclusion: boolean } & (
  | { readonly corners: readonly LatLng[] }
  | { readonly middle: LatLng; readonly radius: number }
);

/** Where the vehicle must stay, and where it must not go. Rendered anew when `shapes` is another array. */
export function FenceLayer({ id = "fence", shapes }: { id?: string; shapes: readonly FenceShape[] }) {
  useLayers(
    {
      id,
      order: order.fence,
      data: () =>
        collection(
          shapes.map((shape) =>
            polygonFeature("corners" in shape ? shape.corners : circle(shape.middle, shape.radius), {
              isInclusion: shape.isInclusion,
            }),
          ),
        ),
      layers: () => {
        const { inclusion, exclusion } = colours.value;
        return [
          {
            id: `${id}-ground`,
            type: "fill",
            // The inside of an inclusion is where one flies: it stays clear.
            filter: ["!", ["get", "isInclusion"]],
            paint: { "fill-color": exclusion, "fill-opacity": 0.2 },
          },
          {
            id: `${id}-border`,
            type: "line",
            paint: {
              "line-color": ["case", ["get", "isInclusion"], inclusion, exclusion],
              "line-width": 3,
              "line-dasharray": [3, 1.5],
            },
          },
        ];
      },
    },
    [shapes],
  );
  return null;
}
