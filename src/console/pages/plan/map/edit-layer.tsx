import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FONT } from "../../../map/base-style";
import { colours } from "../../../map/colours";
import { collection, type LatLng, lineFeature, pointFeature } from "../../../map/features";
import { useMap } from "../../../map/map-context";
import { order, useLayers } from "../../../map/use-layers";
import { type Handle, watchHandles } from "./handles";

/** A point that is dragged: a row's or a vertex. */
export interface EditPoint extends LatLng {
  readonly key: number;
  /** Its place, from 1. */
  readonly label: string;
  /** faulty: something is wrong with it. target: nothing flies there. */
  readonly tone: "plain" | "target" | "faulty";
}

/** A place at which a point can be put between two others. */
export interface Between extends LatLng {
  /** The key of the point before it. */
  readonly after: number;
}

export interface EditLayerProps {
  readonly points: ReadonlySignal<readonly EditPoint[]>;
  readonly lines: ReadonlySignal<readonly (readonly LatLng[])[]>;
  /** Lines that are drawn thin: jumps. */
  readonly thinLines?: ReadonlySignal<readonly (readonly LatLng[])[]>;
  readonly betweens: ReadonlySignal<readonly Between[]>;
  readonly selected: ReadonlySignal<number | undefined>;
  /** A tap on the map adds a point. */
  readonly isAdding: ReadonlySignal<boolean>;
  /** What is drawn while the handle is dragged there. */
  readonly preview: (handle: Handle, position: LatLng) => readonly (readonly LatLng[])[];
  /** What the drag means, in words. */
  readonly describe: (handle: Handle, position: LatLng) => string;
  readonly onSelect: (key: number) => void;
  readonly onMove: (key: number, position: LatLng) => void;
  readonly onInsert: (after: number, position: LatLng) => void;
  readonly onAdd: (position: LatLng) => void;
}

/** A line of one position is none. */
const drawn = (lines: readonly (readonly LatLng[])[]) => lines.filter(({ length }) => length > 1);

/** Points from which on they lie close: they are small until one is near. */
const MANY = 300;

const POINTS = "edit-points";
const BETWEENS = "edit-betweens";

/**
 * Points that are selected, dragged, inserted and added on the map. All of them are one source with circles, so that
 * thousands stay usable; what moves under the pointer is a small one of its own, and the rest is drawn anew when it is
 * dropped.
 */
export function EditLayer(props: EditLayerProps) {
  const { points, lines, betweens, selected, isAdding } = props;
  const map = useMap();
  const areMany = useComputed(() => points.value.length > MANY);
  const drag = useSignal<{ handle: Handle; position: LatLng } | undefined>(undefined);

  useLayers({
    id: "edit-lines",
    order: order.plan,
    data: () =>
      collection([
        ...drawn(lines.value).map((line) => lineFeature(line, { isThin: false })),
        ...drawn(props.thinLines?.value ?? []).map((line) => lineFeature(line, { isThin: true })),
      ]),
    layers: () => [
      {
        id: "edit-lines",
        type: "line",
        filter: ["!", ["get", "isThin"]],
        layout: { "line-join": "round" },
        paint: { "line-color": colours.value.plan, "line-width": 2.5 },
      },
      {
        id: "edit-thin-lines",
        type: "line",
        filter: ["get", "isThin"],
        paint: { "line-color": colours.value.plan, "line-width": 1.5, "line-dasharray": [2, 3] },
      },
    ],
  });

  useLayers({
    id: "edit-points",
    order: order.plan + 2,
    data: () =>
      collection(
        points.value.map(({ key, label, tone, ...position }) => pointFeature(position, { key, label, tone })),
      ),
    layers: () => {
      const { plan, home, exclusion, halo } = colours.value;
      return [
        {
          id: POINTS,
          type: "circle",
          paint: {
            "circle-radius": areMany.value
              ? ["interpolate", ["linear"], ["zoom"], 12, 2.5, 15, 4, 17, 11]
              : ["interpolate", ["linear"], ["zoom"], 9, 4, 13, 11],
            "circle-color": ["match", ["get", "tone"], "faulty", exclusion, "target", home, plan],
            "circle-stroke-color": halo,
            "circle-stroke-width": areMany.value ? ["interpolate", ["linear"], ["zoom"], 14, 0, 17, 2] : 2,
          },
        },
        {
          id: "edit-labels",
          type: "symbol",
          minzoom: areMany.value ? 16.5 : 11,
          layout: {
            "text-field": ["get", "label"],
            "text-font": FONT,
            "text-size": 12,
            "text-padding": 0,
          },
          paint: { "text-color": halo },
        },
      ];
    },
  });

  useLayers({
    id: "edit-betweens",
    order: order.plan + 1,
    data: () =>
      collection(betweens.value.map(({ after, ...position }) => pointFeature(position, { key: after }))),
    layers: () => {
      const { plan, halo } = colours.value;
      return [
        {
          id: BETWEENS,
          type: "circle",
          minzoom: 11,
          paint: {
            "circle-radius": 6,
            "circle-color": halo,
            "circle-stroke-color": plan,
            "circle-stroke-width": 2,
          },
        },
      ];
    },
  });

  useLayers({
    id: "edit-active",
    order: order.tool,
    data: () => {
      const moved = drag.value;
      if (moved) {
        const shapes = props.preview(moved.handle, moved.position).map((line) => lineFeature(line));
        return collection([...shapes, pointFeature(moved.position)]);
      }
      const point = points.value.find(({ key }) => key === selected.value);
      return collection(point ? [pointFeature(point)] : []);
    },
    layers: () => {
      const { planCurrent } = colours.value;
      return [
        {
          id: "edit-active-lines",
          type: "line",
          filter: ["==", ["geometry-type"], "LineString"],
          paint: { "line-color": planCurrent, "line-width": 2.5, "line-dasharray": [2, 1.5] },
        },
        {
          id: "edit-active",
          type: "circle",
          filter: ["==", ["geometry-type"], "Point"],
          paint: {
            "circle-radius": 15,
            "circle-color": planCurrent,
            "circle-opacity": 0,
            "circle-stroke-width": 4,
            "circle-stroke-color": planCurrent,
          },
        },
      ];
    },
  });

  useEffect(
    () =>
      watchHandles(map, [POINTS, BETWEENS], {
        positionOf: ({ kind, key }) =>
          kind === "point"
            ? points.peek().find((point) => point.key === key)
            : betweens.peek().find(({ after }) => after === key),
        onDrag: (handle, position) => {
          drag.value = { handle, position };
        },
        onEnd: () => {
          drag.value = undefined;
        },
        onDrop: ({ kind, key }, position) =>
          kind === "point" ? props.onMove(key, position) : props.onInsert(key, position),
        onTap: ({ kind, key }, position) =>
          kind === "point" ? props.onSelect(key) : props.onInsert(key, position),
        onTapBeside: (position) => isAdding.peek() && props.onAdd(position),
      }),
    [map],
  );

  useEffect(() => {
    if (isAdding.value) map.doubleClickZoom.disable();
    else map.doubleClickZoom.enable();
    map.getCanvas().classList.toggle("adding", isAdding.value);
  }, [map, isAdding.value]);

  return (
    <p role="status" class="map-readout" hidden={!drag.value}>
      {drag.value && props.describe(drag.value.handle, drag.value.position)}
    </p>
  );
}
