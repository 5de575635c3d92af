import { effect } from "@preact/signals";
import type { GeoJSONSource, LayerSpecification, MapLibreMap, StyleSpecification } from "maplibre-gl";
import { settings } from "../settings";
import { colours } from "./colours";
import { extentOf, graticule } from "./graticule";

/** Local fonts of the browser: the map asks no server for glyphs. */
export const FONT = ["sans-serif"];

/** What a map shows below everything: the configured style, or a plain ground, on which the configured file is laid. */
export const baseStyle = (): StyleSpecification | string => settings.mapStyle ?? plainStyle();

/** The lowest layer above the base map, and its source. */
export const GRATICULE = "graticule";

export function plainStyle(): StyleSpecification {
  return {
    version: 8,
    sources: { [GRATICULE]: { type: "geojson", data: { type: "FeatureCollection", features: [] } } },
    layers: [{ id: "ground", type: "background" }, ...graticuleLayers()],
  };
}

const graticuleLayers = (): LayerSpecification[] => [
  { id: GRATICULE, type: "line", source: GRATICULE, paint: { "line-width": 1 } },
  {
    id: "graticule-labels",
    type: "symbol",
    source: GRATICULE,
    layout: {
      "symbol-placement": "line",
      "text-field": ["get", "label"],
      "text-size": 11,
      "text-font": FONT,
    },
    paint: { "text-halo-width": 1.5 },
  },
];

/** Paints the plain ground in the theme's colours, and keeps its graticule in the window. Returns what ends that. */
export function followTheme(map: MapLibreMap): () => void {
  let end = () => {};
  map.on("style.load", () => {
    // A style of others has its own colours.
    if (!map.getSource(GRATICULE)) return;
    end = effect(() => {
      const { ground, line, text } = colours.value;
      map.setPaintProperty("ground", "background-color", ground);
      map.setPaintProperty(GRATICULE, "line-color", line);
      map.setPaintProperty("graticule-labels", "text-color", text);
      map.setPaintProperty("graticule-labels", "text-halo-color", ground);
    });
    let drawn = "";
    const draw = () => {
      const bounds = map.getBounds();
      const extent = extentOf({
        west: bounds.getWest(),
        south: bounds.getSouth(),
        east: bounds.getEast(),
        north: bounds.getNorth(),
      });
      const wanted = JSON.stringify(extent);
      // A map that follows a vehicle moves ten times a second.
      if (wanted === drawn) return;
      drawn = wanted;
      map.getSource<GeoJSONSource>(GRATICULE)?.setData(graticule(extent));
    };
    draw();
    map.on("moveend", draw);
    map.on("resize", draw);
  });
  return () => end();
}
