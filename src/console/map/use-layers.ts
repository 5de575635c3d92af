import { effect, signal } from "@preact/signals";
import type { FeatureCollection } from "geojson";
import { useEffect } from "preact/hooks";
import type { SourceLayer } from "./layers";
import { useMapScope } from "./map-context";

/** What lies above what on every map, from below. */
export const order = { fence: 10, plan: 20, track: 30, home: 40, selected: 45, drone: 50, tool: 60 } as const;

interface GeoJsonLayers {
  /** Of the source; unique on the map, as is the id of each of its layers. */
  readonly id: string;
  readonly order: number;
  /** It is called again when a signal changes that it reads. */
  readonly data: () => FeatureCollection;
  /** It is called again when a signal changes that it reads, such as `colours`. */
  readonly layers: () => readonly SourceLayer[];
}

const NOTHING: FeatureCollection = { type: "FeatureCollection", features: [] };

/**
 * Keeps a GeoJSON source with its layers on the map while the component is shown. New data is drawn once a frame of the
 * screen. `inputs` are values other than signals that `data` and `layers` read.
 */
export function useLayers({ id, order, data, layers }: GeoJsonLayers, inputs: readonly unknown[] = []): void {
  const scope = useMapScope();
  useEffect(() => {
    const added = signal(0);
    let newest = NOTHING;
    let frame = 0;
    const draw = () => {
      frame = 0;
      scope.layers.update(id, newest);
    };
    const endLayers = effect(() => {
      scope.layers.put(id, order, NOTHING, layers());
      added.value = added.peek() + 1;
    });
    const endData = effect(() => {
      added.value;
      newest = data();
      frame ||= requestAnimationFrame(draw);
    });
    return () => {
      endData();
      endLayers();
      cancelAnimationFrame(frame);
      scope.layers.remove(id);
    };
  }, [scope, id, ...inputs]);
}
