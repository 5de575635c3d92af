import { effect, useSignal } from "@preact/signals";
import {
  AttributionControl,
  LngLatBounds,
  MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from "maplibre-gl";
import workerUrl from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { unitSystem } from "../format/units";
import { settings } from "../settings";
import { strings } from "../strings";
import { baseStyle, plainStyle } from "./base-style";
import { type LatLng, lngLat } from "./features";
import { drawGround } from "./ground";
import { Layers } from "./layers";
import { MapContext } from "./map-context";
import "maplibre-gl/dist/maplibre-gl.css";
import "./map.css";

// A file of its own: the page's policy admits no worker of a blob.
setWorkerUrl(workerUrl);

const text = strings.map;

interface MapViewProps {
  /** What the map shows, for those who cannot see it. */
  readonly label: string;
  /**
   * The window is moved to them when there are some for the first time, unless the user has moved it, and by the button that
   * shows all.
   */
  readonly fit?: readonly LatLng[];
  readonly class?: string;
  /** Layers, which use the map by `useMap` and `useLayers`. They are rendered when its style is loaded. */
  readonly children?: ComponentChildren;
}

/** How close `fit` comes at most: a single position is seen with what is around it. */
const CLOSEST_FIT = 17;
const FIT_PADDING = 60;

/** Fills its container. */
export function MapView({ label, fit = [], class: style = "", children }: MapViewProps) {
  const ground = useRef<HTMLCanvasElement>(null);
  const container = useRef<HTMLDivElement>(null);
  const scope = useSignal<{ map: MapLibreMap; layers: Layers } | undefined>(undefined);
  const failure = useSignal("");
  /** Or moved by the user, who sees what they want to see. */
  const isFitted = useRef(false);

  useEffect(() => {
    const map = newMap(container.current as HTMLDivElement, label, fit);
    isFitted.current = fit.length > 0;
    const endGround = drawGround(map, ground.current as HTMLCanvasElement);
    const endUnits = addScale(map);
    // Of the base map. What is drawn on it goes on.
    const fail = (error: { message: string }) => {
      failure.value = text.baseMapFailed;
      console.warn(error.message);
      // A style that does not load would leave nothing to draw on.
      if (settings.mapStyle && !scope.peek()) map.setStyle(plainStyle());
    };
    let endBaseFile = () => {};
    // Not when all of a base map is there: what lies above it is seen first.
    map.once("style.load", () => {
      scope.value = { map, layers: new Layers(map) };
      if (settings.mapFile) {
        void import("./base-file")
          .then(({ addBaseFile }) => addBaseFile(map, settings.mapFile as string))
          .then((end) => {
            endBaseFile = end;
          }, fail);
      }
    });
    map.on("movestart", ({ originalEvent }) => {
      isFitted.current ||= originalEvent !== undefined;
    });
    map.on("error", ({ error }) => fail(error));
    return () => {
      scope.value = undefined;
      endGround();
      endUnits();
      endBaseFile();
      // After the layers, which are taken off it when this returns.
      queueMicrotask(() => map.remove());
    };
  }, []);

  const shown = scope.value;
  useEffect(() => {
    if (!shown || fit.length === 0 || isFitted.current) return;
    isFitted.current = true;
    fitTo(shown.map, fit, { animate: false });
  }, [shown, fit.length > 0]);

  return (
    <div class={`map ${style}`}>
      <canvas ref={ground} class="map-ground" />
      <div ref={container} class="map-canvas" />
      {shown && (
        <MapContext.Provider value={shown}>
          <button
            type="button"
            class="map-fit"
            disabled={fit.length === 0}
            onClick={() => fitTo(shown.map, fit)}
          >
            {text.showAll}
          </button>
          {children}
        </MapContext.Provider>
      )}
      <p role="status" class="map-failure" hidden={failure.value === ""}>
        {failure.value}
      </p>
    </div>
  );
}

/** Moves the window so that it shows all the positions. */
export function fitTo(
  map: MapLibreMap,
  positions: readonly LatLng[],
  options: { animate?: boolean } = {},
): void {
  if (positions.length === 0) return;
  map.fitBounds(boundsOf(positions), { ...fitOptions(map.getContainer()), duration: 500, ...options });
}

function boundsOf(positions: readonly LatLng[]): LngLatBounds {
  const bounds = new LngLatBounds();
  for (const position of positions) bounds.extend(lngLat(position));
  return bounds;
}

/** A padding that leaves no room would be refused. */
const fitOptions = ({ clientWidth, clientHeight }: HTMLElement) => ({
  padding: Math.min(FIT_PADDING, clientWidth / 4, clientHeight / 4),
  maxZoom: CLOSEST_FIT,
});

/** It begins where the positions are, when there are some: nothing is drawn elsewhere before. */
function newMap(container: HTMLElement, label: string, fit: readonly LatLng[]): MapLibreMap {
  const map = new MapLibreMap({
    container,
    style: baseStyle(),
    ...(fit.length > 0
      ? { bounds: boundsOf(fit), fitBoundsOptions: fitOptions(container) }
      : { center: [8, 30], zoom: 1 }),
    maxPitch: 0,
    // It is shown by its own control where the base map names its sources.
    attributionControl: false,
    locale: { ...text.controls, "Map.Title": label },
    fadeDuration: 0,
  });
  map.addControl(new NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new AttributionControl({ compact: true }), "bottom-right");
  map.touchZoomRotate.disableRotation();
  map.dragRotate.disable();
  map.keyboard.disableRotation();
  return map;
}

/** Keeps the scale in the user's units. */
function addScale(map: MapLibreMap): () => void {
  const scale = new ScaleControl({ unit: unitSystem.peek() });
  map.addControl(scale, "bottom-left");
  return effect(() => scale.setUnit(unitSystem.value));
}
