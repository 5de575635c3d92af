import { effect } from "@preact/signals";
import { addProtocol, type LayerSpecification, type MapLibreMap } from "maplibre-gl";
import { PMTiles, Protocol, TileType } from "pmtiles";
import { FONT } from "./base-style";
import { baseColours } from "./colours";

const SOURCE = "base";

/**
 * Lays a .pmtiles file below what is on the map: its pictures, or the vectors that have Protomaps' layers. Rejects when the
 * file cannot be read. Returns what ends the following of the theme.
 */
export async function addBaseFile(map: MapLibreMap, path: string): Promise<() => void> {
  const url = `${location.origin}${path}`;
  const file = new PMTiles(url);
  const protocol = new Protocol();
  protocol.add(file);
  addProtocol("pmtiles", protocol.tile);
  const { tileType, minZoom, maxZoom } = await file.getHeader();
  const zooms = { minzoom: minZoom, maxzoom: maxZoom };
  const tiles = [`pmtiles://${url}/{z}/{x}/{y}`];
  const { attribution = "" } = ((await file.getMetadata()) ?? {}) as { attribution?: string };
  const above = map.getLayersOrder()[0];
  if (tileType !== TileType.Mvt) {
    map.addSource(SOURCE, { type: "raster", tileSize: 256, tiles, attribution, ...zooms });
    map.addLayer({ id: SOURCE, type: "raster", source: SOURCE }, above);
    return () => {};
  }
  map.addSource(SOURCE, { type: "vector", tiles, attribution, ...zooms });
  for (const layer of vectorLayers()) map.addLayer(layer, above);
  return effect(() => {
    for (const [layer, property, colour] of paints()) map.setPaintProperty(layer, property, colour);
  });
}

/** A part of Protomaps' basemap. */
const part = (name: string) => ({ id: `base-${name}`, source: SOURCE, "source-layer": name });

const vectorLayers = (): LayerSpecification[] => [
  { ...part("earth"), type: "fill" },
  { ...part("landcover"), type: "fill", paint: { "fill-opacity": 0.4 } },
  { ...part("landuse"), type: "fill", paint: { "fill-opacity": 0.6 } },
  { ...part("water"), type: "fill", filter: ["==", ["geometry-type"], "Polygon"] },
  { ...part("buildings"), type: "fill" },
  {
    ...part("roads"),
    type: "line",
    paint: { "line-width": ["interpolate", ["exponential", 1.6], ["zoom"], 8, 0.5, 18, 10] },
  },
  { ...part("boundaries"), type: "line", paint: { "line-dasharray": [3, 2] } },
  {
    ...part("places"),
    type: "symbol",
    layout: { "text-field": ["get", "name"], "text-font": FONT, "text-size": 13 },
    paint: { "text-halo-width": 1.5 },
  },
];

/** What the theme colours: layer, property, colour. */
function paints() {
  const { earth, green, water, building, road, boundary, text, halo } = baseColours.value;
  return [
    ["base-earth", "fill-color", earth],
    ["base-landcover", "fill-color", green],
    ["base-landuse", "fill-color", green],
    ["base-water", "fill-color", water],
    ["base-buildings", "fill-color", building],
    ["base-roads", "line-color", road],
    ["base-boundaries", "line-color", boundary],
    ["base-places", "text-color", text],
    ["base-places", "text-halo-color", halo],
  ] as const;
}
