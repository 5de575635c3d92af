import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { MapMouseEvent } from "maplibre-gl";
import { useEffect } from "preact/hooks";
import type { LatLng } from "../../../map/features";
import { lngLat } from "../../../map/features";
import { DroneLayer } from "../../../map/layers/drone-layer";
import { HomeLayer } from "../../../map/layers/home-layer";
import { PlanLayer, type PlanPoint } from "../../../map/layers/plan-layer";
import { TrackLayer } from "../../../map/layers/track-layer";
import { useMap } from "../../../map/map-context";
import { MapView } from "../../../map/map-view";
import { strings } from "../../../strings";
import type { FlightView } from "./flight-view";
import { courseAt, nearestRow, positionAt, positionsOf } from "./track";

export interface FlightMapProps {
  readonly view: FlightView;
  readonly drone: string;
  readonly plan: readonly PlanPoint[];
  readonly home: ReadonlySignal<LatLng | undefined>;
  /** Of the nose now, where the flight is live. */
  readonly heading?: ReadonlySignal<number | undefined> | undefined;
  readonly isSilent: ReadonlySignal<boolean>;
}

/** The flown track with the plan that was on board, and the drone where it was at the cursor. */
export default function FlightMap({ view, drone, plan, home, heading, isSilent }: FlightMapProps) {
  const positions = useComputed(() => positionsOf(view.track.value));
  const drones = useComputed(() => {
    const { track, row, cursor } = view;
    const position = positionAt(track.value, row.value);
    if (!position) return [];
    const isNewest = cursor.value === undefined;
    const nose = isNewest ? heading?.value : undefined;
    const state = isNewest && isSilent.value ? ("silent" as const) : ("ready" as const);
    return [{ ...position, id: 0, name: drone, heading: nose ?? courseAt(track.value, row.value), state }];
  });
  return (
    <MapView label={strings.flights.overTime.map(drone)} fit={[...positions.value, ...plan]}>
      <PlanLayer points={plan} />
      <TrackLayer positions={positions} />
      <HomeLayer position={home} />
      <DroneLayer drones={drones} />
      <PointerOnTrack view={view} />
    </MapView>
  );
}

/** Pixels. A pointer that is farther from the track moves no cursor. */
const NEAR = 30;

/** The pointer on the track moves the cursor: the mouse over it, a finger by a tap. */
function PointerOnTrack({ view }: { view: FlightView }) {
  const map = useMap();
  useEffect(() => {
    const point = ({ lngLat: { lat, lng }, point }: MapMouseEvent) => {
      const track = view.track.peek();
      const row = nearestRow(track, { lat, lng });
      const position = positionAt(track, row);
      if (!position) return;
      const { x, y } = map.project(lngLat(position));
      if (Math.hypot(x - point.x, y - point.y) <= NEAR) view.pointTo(row);
    };
    map.on("mousemove", point);
    map.on("click", point);
    return () => {
      map.off("mousemove", point);
      map.off("click", point);
    };
  }, [map, view]);
  return null;
}
