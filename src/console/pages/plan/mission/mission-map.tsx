import { type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { distance } from "../../../format/units";
import { type LatLng, metresBetween } from "../../../map/features";
import { FenceLayer, type FenceShape } from "../../../map/layers/fence-layer";
import { MapView } from "../../../map/map-view";
import { strings } from "../../../strings";
import type { PlanEditor } from "../editor/plan-editor";
import { type Between, EditLayer, type EditPoint } from "../map/edit-layer";
import { FleetOnMap, useFleetPositions } from "../map/fleet-on-map";
import type { Handle } from "../map/handles";
import { MiddleOfMap } from "../map/middle-of-map";
import { ShowSelected } from "../map/show-selected";
import type { Fault } from "./faults";
import type { MissionActions } from "./mission-actions";
import { isOnMap, isOnPath, type MissionContent, type Row } from "./row";
import { isJump } from "./row-edits";

interface MissionMapProps {
  readonly editor: PlanEditor<MissionContent>;
  readonly selected: Signal<number | undefined>;
  readonly isAdding: ReadonlySignal<boolean>;
  readonly faults: ReadonlySignal<ReadonlyMap<number, readonly Fault[]>>;
  readonly actions: MissionActions;
  readonly fences: readonly FenceShape[];
  readonly onAdd: (position: LatLng) => void;
  /** Set while there is a map: what is in its middle. */
  readonly middle: { current: (() => LatLng) | undefined | null };
}

const text = strings.plan.map;

/** Legs whose middle is offered for a new waypoint: of more only those beside the selected row. */
const MOST_BETWEENS = 300;

export default function MissionMap(props: MissionMapProps) {
  const { editor, fences, middle } = props;
  const { rows } = editor.content;
  const fleet = useFleetPositions();
  const own = useMemo(() => rows.filter(isOnMap), [rows]);
  return (
    <MapView label={text.mission} fit={own.length > 0 ? own : fleet}>
      <FenceLayer shapes={fences} />
      <FleetOnMap />
      <MiddleOfMap middle={middle} />
      <Rows {...props} />
    </MapView>
  );
}

function Rows({ editor, selected, isAdding, faults, actions, onAdd }: MissionMapProps) {
  const rows = useComputed(() => editor.content.rows);
  const places = useComputed(() => new Map(rows.value.map(({ key }, at) => [key, at + 1])));
  const path = useComputed(() => rows.value.filter(isOnPath));
  const points = useComputed<EditPoint[]>(() =>
    rows.value.flatMap((row, at) => {
      if (!isOnMap(row)) return [];
      const tone = faults.value.has(row.key) ? "faulty" : isOnPath(row) ? "plain" : "target";
      return [{ key: row.key, label: String(at + 1), tone, lat: row.lat, lng: row.lng }];
    }),
  );
  const betweens = useComputed<Between[]>(() => {
    const all = path.value.slice(1).map((row, at) => middle(path.value[at] as Row, row));
    if (all.length <= MOST_BETWEENS) return all;
    const at = path.value.findIndex(({ key }) => key === selected.value);
    return at < 0 ? [] : all.slice(Math.max(0, at - 1), at + 1);
  });
  const lines = useComputed(() => [path.value]);
  const thinLines = useComputed(() => jumpLines(rows.value));

  const neighbours = ({ kind, key }: Handle): (LatLng | undefined)[] => {
    const at = path.value.findIndex((row) => row.key === key);
    return kind === "point" ? [path.value[at - 1], path.value[at + 1]] : [path.value[at], path.value[at + 1]];
  };
  const isFlown = ({ kind, key }: Handle) => kind === "between" || path.value.some((row) => row.key === key);
  return (
    <>
      <EditLayer
        {...{ points, lines, thinLines, betweens, selected, isAdding }}
        preview={(handle, position) => {
          const [before, after] = isFlown(handle) ? neighbours(handle) : [];
          const line = [before, position, after].filter((end) => end !== undefined);
          return line.length > 1 ? [line] : [];
        }}
        describe={(handle, position) => {
          const place = places.value.get(handle.key) ?? 0;
          const [before] = isFlown(handle) ? neighbours(handle) : [];
          const name = text.row(handle.kind === "point" ? place : place + 1);
          return before ? text.legOf(name, distance(metresBetween(before, position))) : name;
        }}
        onSelect={(key) => {
          selected.value = key;
        }}
        onMove={actions.moveTo}
        onInsert={actions.insertBehind}
        onAdd={onAdd}
      />
      <ShowSelected points={points} selected={selected} />
    </>
  );
}

const middle = (before: Row, after: Row): Between => ({
  after: before.key,
  lat: (before.lat + after.lat) / 2,
  lng: (before.lng + after.lng) / 2,
});

/** From the last position before each jump to the first one from the row on that it leads to. */
function jumpLines(rows: readonly Row[]): LatLng[][] {
  return rows.flatMap((row, at) => {
    if (!isJump(row) || row.param1 < 1) return [];
    const from = rows.slice(0, at).findLast(isOnPath);
    const to = rows.slice(row.param1 - 1).find(isOnPath);
    return from && to ? [[from, to]] : [];
  });
}
