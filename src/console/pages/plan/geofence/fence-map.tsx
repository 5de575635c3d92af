import { type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { distance, height } from "../../../format/units";
import { circle, type LatLng, metresBetween, offset } from "../../../map/features";
import { FenceLayer, type FenceShape } from "../../../map/layers/fence-layer";
import { MapView } from "../../../map/map-view";
import { strings } from "../../../strings";
import type { PlanEditor } from "../editor/plan-editor";
import { type Between, EditLayer, type EditPoint } from "../map/edit-layer";
import { FleetOnMap, useFleetPositions } from "../map/fleet-on-map";
import type { Handle } from "../map/handles";
import { MiddleOfMap } from "../map/middle-of-map";
import { ShowSelected } from "../map/show-selected";
import { type FenceContent, shapesOf, type Vertex } from "./fence";
import { type FenceActions, radiusTo } from "./fence-actions";

interface FenceMapProps {
  readonly editor: PlanEditor<FenceContent>;
  readonly selected: Signal<number | undefined>;
  readonly isAdding: ReadonlySignal<boolean>;
  readonly actions: FenceActions;
  /** The other enabled geofences. */
  readonly others: readonly FenceShape[];
  readonly middle: { current: (() => LatLng) | undefined | null };
}

const text = strings.plan.map;

export default function FenceMap(props: FenceMapProps) {
  const { editor, others, middle } = props;
  const { content } = editor;
  const fleet = useFleetPositions();
  const shapes = useMemo(() => shapesOf(content), [content]);
  const fit = useMemo(
    () => (content.type === "circle" ? content.rows.flatMap((row) => circle(row, row.radius)) : content.rows),
    [content],
  );
  return (
    <MapView label={text.geofence} fit={fit.length > 0 ? fit : fleet}>
      <FenceLayer id="other-fences" shapes={others} />
      <FenceLayer shapes={shapes} />
      <FleetOnMap />
      <MiddleOfMap middle={middle} />
      <Vertices {...props} />
    </MapView>
  );
}

/** The border of a circle is a handle, too: its key is the centre's below 0. */
const borderKey = (key: number): number => -key;

function Vertices({ editor, selected, isAdding, actions }: FenceMapProps) {
  const rows = useComputed(() => editor.content.rows);
  const isCircle = useComputed(() => editor.content.type === "circle");
  const points = useComputed<EditPoint[]>(() =>
    rows.value.flatMap((row, at): EditPoint[] => {
      const label = isCircle.value && rows.value.length === 1 ? "" : String(at + 1);
      const point = { key: row.key, label, tone: "plain", lat: row.lat, lng: row.lng } as const;
      if (!isCircle.value) return [point];
      return [point, { ...offset(row, 0, row.radius), key: borderKey(row.key), label: "", tone: "target" }];
    }),
  );
  const betweens = useComputed<Between[]>(() =>
    isCircle.value || rows.value.length < 2
      ? []
      : rows.value.map((row, at) => middleTo(row, next(rows.value, at))),
  );
  // From the third vertex on the geofence has its border.
  const lines = useComputed(() => (isCircle.value || rows.value.length > 2 ? [] : [rows.value]));

  const centreOf = ({ key }: Handle) => rows.value.find((row) => row.key === Math.abs(key));
  const neighbours = ({ kind, key }: Handle): (Vertex | undefined)[] => {
    const at = rows.value.findIndex((row) => row.key === key);
    if (rows.value.length < 2) return [];
    const before = kind === "point" ? rows.value.at(at - 1) : rows.value[at];
    return [before, next(rows.value, at)];
  };
  return (
    <>
      <EditLayer
        {...{ points, lines, betweens, selected, isAdding }}
        preview={(handle, position) => {
          const centre = centreOf(handle);
          if (!isCircle.value) {
            const [before, after] = neighbours(handle);
            return before && after ? [[before, position, after]] : [];
          }
          if (!centre) return [];
          const corners =
            handle.key < 0 ? circle(centre, radiusTo(centre, position)) : circle(position, centre.radius);
          return [[...corners, ...corners.slice(0, 1)]];
        }}
        describe={(handle, position) => {
          const centre = centreOf(handle);
          if (isCircle.value && centre)
            return handle.key < 0 ? text.radius(height(radiusTo(centre, position))) : text.centre;
          const [before] = neighbours(handle);
          const place =
            rows.value.findIndex((row) => row.key === handle.key) + (handle.kind === "point" ? 1 : 2);
          const name = text.vertex(place);
          return before ? text.legOf(name, distance(metresBetween(before, position))) : name;
        }}
        onSelect={(key) => {
          selected.value = Math.abs(key);
        }}
        onMove={(key, position) => (key < 0 ? actions.resize(-key, position) : actions.moveTo(key, position))}
        onInsert={actions.insertBehind}
        onAdd={actions.add}
      />
      <ShowSelected points={points} selected={selected} />
    </>
  );
}

const next = (rows: readonly Vertex[], at: number): Vertex => rows[(at + 1) % rows.length] as Vertex;

const middleTo = (row: Vertex, after: Vertex): Between => ({
  after: row.key,
  lat: (row.lat + after.lat) / 2,
  lng: (row.lng + after.lng) / 2,
});
