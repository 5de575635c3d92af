import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { colours } from "../../../map/colours";
import { collection, type LatLng, lngLat, pointFeature } from "../../../map/features";
import { DroneLayer, type DroneMarker } from "../../../map/layers/drone-layer";
import { FenceLayer } from "../../../map/layers/fence-layer";
import { HomeLayer } from "../../../map/layers/home-layer";
import { PlanLayer } from "../../../map/layers/plan-layer";
import { TrackLayer } from "../../../map/layers/track-layer";
import { useMap } from "../../../map/map-context";
import { MapView } from "../../../map/map-view";
import { order, useLayers } from "../../../map/use-layers";
import { strings } from "../../../strings";
import { type Flown, useFlown } from "../context";
import { useMapPress } from "./map-press";

const text = strings.fly.map;

interface FlyMapProps {
  /** Where the vehicle is to go, while it is asked for. */
  readonly target: LatLng | undefined;
  /** Called for a long press or the context menu. */
  readonly onPress: (position: LatLng) => void;
}

/** The vehicle with its track, home, plan and fence. */
export default function FlyMap({ target, onPress }: FlyMapProps) {
  const flown = useFlown();
  const { state, onBoard } = flown;
  const isFollowing = useSignal(true);
  const home = useComputed(() => {
    const geo = state.newest.home.value?.value.geo;
    return geo && { lat: geo.latitude, lng: geo.longitude };
  });
  const shown = useRef<readonly DroneMarker[]>([]);
  const markers = useComputed<readonly DroneMarker[]>(() => {
    const marker = markerOf(flown);
    // A vehicle that stands still is not drawn ten times a second.
    if (!isSame(marker, shown.current[0])) shown.current = marker ? [marker] : [];
    return shown.current;
  });
  const fit = useComputed(() => [
    ...markers.value,
    ...(home.value ? [home.value] : []),
    ...onBoard.points.value,
  ]);
  return (
    <MapView label={text.label} fit={fit.value}>
      <FenceLayer shapes={onBoard.shapes.value} />
      <PlanLayer points={onBoard.points.value} />
      <TrackLayer positions={state.track.positions} />
      <HomeLayer position={home} />
      <DroneLayer drones={markers} />
      <Target position={target} />
      <Press onPress={onPress} />
      <Following isFollowing={isFollowing} />
      <div class="map-buttons">
        <button
          type="button"
          aria-pressed={isFollowing.value}
          onClick={() => {
            isFollowing.value = !isFollowing.value;
          }}
        >
          {text.follow}
        </button>
        <Centre />
        <button type="button" onClick={() => state.track.clear()}>
          {text.clearTrack}
        </button>
      </div>
    </MapView>
  );
}

function markerOf({ drone: { id, name }, state }: Flown): DroneMarker | undefined {
  const position = state.position.value?.value;
  const looks = state.armed.value?.value ? "armed" : "ready";
  const heading = state.heading.value?.value;
  return (
    position && {
      ...{ id, name, ...position },
      heading: heading === undefined ? undefined : Math.round(heading),
      state: state.isLive.value ? looks : "silent",
    }
  );
}

const isSame = (a: DroneMarker | undefined, b: DroneMarker | undefined): boolean =>
  a?.lat === b?.lat && a?.lng === b?.lng && a?.heading === b?.heading && a?.state === b?.state;

function Press({ onPress }: { onPress: (position: LatLng) => void }) {
  useMapPress(useMap(), onPress);
  return null;
}

/** Moves the window once. */
function Centre() {
  const map = useMap();
  const { state } = useFlown();
  return (
    <button
      type="button"
      disabled={!state.position.value}
      onClick={() => {
        const here = state.position.peek();
        if (here)
          map.easeTo({ center: lngLat(here.value), zoom: Math.max(map.getZoom(), 16), duration: 300 });
      }}
    >
      {text.centre}
    </button>
  );
}

/** Pixels by which the vehicle is beside the middle before the map follows. */
const STILL = 2;

/** Keeps the vehicle in the middle, until the pilot moves the map. */
function Following({ isFollowing }: { isFollowing: { value: boolean } }) {
  const map = useMap();
  const { state } = useFlown();
  useEffect(() => {
    const end = ({ originalEvent }: { originalEvent?: unknown }) => {
      if (originalEvent) isFollowing.value = false;
    };
    map.on("dragstart", end);
    return () => {
      map.off("dragstart", end);
    };
  }, [map]);
  useSignalEffect(() => {
    const here = state.position.value?.value;
    if (!here || !isFollowing.value || map.isMoving()) return;
    const { clientWidth, clientHeight } = map.getContainer();
    const { x, y } = map.project(lngLat(here));
    const off = Math.hypot(x - clientWidth / 2, y - clientHeight / 2);
    if (off > STILL) map.jumpTo({ center: lngLat(here) });
  });
  return null;
}

function Target({ position }: { position: LatLng | undefined }) {
  useLayers(
    {
      id: "target",
      order: order.tool,
      data: () => collection(position ? [pointFeature(position)] : []),
      layers: () => {
        const { planCurrent, halo } = colours.value;
        return [
          {
            id: "target-ground",
            type: "circle",
            paint: {
              "circle-radius": 16,
              "circle-opacity": 0,
              "circle-stroke-color": halo,
              "circle-stroke-width": 6,
            },
          },
          {
            id: "target",
            type: "circle",
            paint: {
              "circle-radius": 16,
              "circle-opacity": 0,
              "circle-stroke-color": planCurrent,
              "circle-stroke-width": 3,
            },
          },
          { id: "target-middle", type: "circle", paint: { "circle-radius": 3, "circle-color": planCurrent } },
        ];
      },
    },
    [position],
  );
  return null;
}
