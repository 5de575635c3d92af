import type { MapLibreMap } from "maplibre-gl";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Layers } from "./layers";

interface MapScope {
  readonly map: MapLibreMap;
  readonly layers: Layers;
}

export const MapContext = createContext<MapScope | undefined>(undefined);

export function useMapScope(): MapScope {
  const scope = useContext(MapContext);
  if (!scope) throw new Error("There is no MapView above this component.");
  return scope;
}

/** The map of the `MapView` around this component. Its style is loaded. */
export const useMap = (): MapLibreMap => useMapScope().map;
