import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { ExpressionSpecification, MapLayerMouseEvent } from "maplibre-gl";
import { useEffect } from "preact/hooks";
import { FONT } from "../base-style";
import { colours } from "../colours";
import { collection, type LatLng, pointFeature } from "../features";
import type { SourceLayer } from "../layers";
import { useMap } from "../map-context";
import { order, useLayers } from "../use-layers";

export interface DroneMarker extends LatLng {
  readonly id: number;
  readonly name: string;
  /** Compass degrees of the nose; undefined when not known. */
  readonly heading: number | undefined;
  /** silent: what is shown is old. */
  readonly state: "ready" | "armed" | "silent";
  readonly isSelected?: boolean;
}

interface DroneLayerProps {
  readonly id?: string;
  readonly drones: ReadonlySignal<readonly DroneMarker[]>;
  readonly onSelect?: (id: number) => void;
}

/** So many drones are drawn as dots: names and noses would lie over each other, and cost most of a frame. */
const CROWD = 150;

const ARROW = "drone-arrow";
const DOT = "drone-dot";

/** Drones with their headings and names. */
export function DroneLayer({ id = "drones", drones, onSelect }: DroneLayerProps) {
  const map = useMap();
  const isCrowd = useComputed(() => drones.value.length > CROWD);
  const selected = useComputed(() => drones.value.find(({ isSelected }) => isSelected));
  if (!map.hasImage(ARROW)) {
    map.addImage(ARROW, drawn("M24 3 L41 44 L24 35 L7 44 Z"), { sdf: true, pixelRatio: 1.5 });
    map.addImage(DOT, drawn("M24 10 A14 14 0 1 1 23.9 10 Z"), { sdf: true, pixelRatio: 2 });
  }
  // A source of its own: the others move ten times a second, and each property of each of them has its cost.
  useLayers(
    {
      id: `${id}-selected`,
      order: order.selected,
      data: () => collection(selected.value ? [pointFeature(selected.value)] : []),
      layers: () => [
        {
          id: `${id}-selected`,
          type: "circle",
          paint: {
            "circle-radius": 20,
            "circle-opacity": 0,
            "circle-stroke-width": 3,
            "circle-stroke-color": colours.value.text,
          },
        },
      ],
    },
    [drones],
  );
  useLayers(
    {
      id,
      order: order.drone,
      data: () =>
        collection(
          drones.value.map((drone) => {
            const { id, name, heading = null, state } = drone;
            return pointFeature(drone, isCrowd.value ? { id, state } : { id, name, heading, state });
          }),
        ),
      layers: () => {
        const { drone, droneArmed, droneSilent, halo, text } = colours.value;
        const state: ExpressionSpecification = ["get", "state"];
        const colour: ExpressionSpecification = [
          "match",
          state,
          "armed",
          droneArmed,
          "silent",
          droneSilent,
          drone,
        ];
        const dots: SourceLayer = {
          id,
          type: "circle",
          paint: {
            "circle-radius": 6,
            "circle-color": colour,
            "circle-stroke-width": 1.5,
            "circle-stroke-color": halo,
          },
        };
        const arrows: SourceLayer = {
          id,
          type: "symbol",
          layout: {
            "icon-image": ["case", ["==", ["get", "heading"], null], DOT, ARROW],
            "icon-rotate": ["coalesce", ["get", "heading"], 0],
            "icon-rotation-alignment": "map",
            "icon-allow-overlap": true,
            "icon-ignore-placement": true,
            "text-field": ["get", "name"],
            "text-font": FONT,
            "text-size": 13,
            "text-offset": [0, 1.3],
            "text-anchor": "top",
            "text-optional": true,
          },
          paint: {
            "icon-color": colour,
            "icon-halo-color": halo,
            "icon-halo-width": 1.5,
            "text-color": text,
            "text-halo-color": halo,
            "text-halo-width": 1.5,
          },
        };
        return [isCrowd.value ? dots : arrows];
      },
    },
    [drones],
  );
  useEffect(() => {
    if (!onSelect) return;
    const select = ({ features }: MapLayerMouseEvent) => {
      const selected = features?.[0]?.properties.id;
      if (typeof selected === "number") onSelect(selected);
    };
    const point = () => {
      map.getCanvas().style.cursor = "pointer";
    };
    const unpoint = () => {
      map.getCanvas().style.cursor = "";
    };
    map.on("click", id, select);
    map.on("mouseenter", id, point);
    map.on("mouseleave", id, unpoint);
    return () => {
      map.off("click", id, select);
      map.off("mouseenter", id, point);
      map.off("mouseleave", id, unpoint);
    };
  }, [map, id, onSelect]);
  return null;
}

/** A shape of 48 by 48 pixels, of which MapLibre takes the opacity alone. */
function drawn(path: string): ImageData {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 48;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.fill(new Path2D(path));
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
