import type { FeatureCollection } from "geojson";
import type { GeoJSONSource, LayerSpecification, MapLibreMap } from "maplibre-gl";

/** A layer of the source that it is added with. */
export type SourceLayer = DistributiveOmit<Exclude<LayerSpecification, { type: "background" }>, "source">;
type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

interface Added {
  readonly order: number;
  readonly layers: readonly string[];
}

/** GeoJSON sources with their layers on one map, drawn by their order, whichever was added first. */
export class Layers {
  private readonly added = new Map<string, Added>();

  constructor(private readonly map: MapLibreMap) {}

  /** Replaces the source of that id. A higher order lies above a lower one. */
  put(id: string, order: number, data: FeatureCollection, layers: readonly SourceLayer[]): void {
    this.remove(id);
    this.map.addSource(id, { type: "geojson", data });
    const above = [...this.added.values()]
      .filter((other) => other.order > order)
      .sort((a, b) => a.order - b.order)[0];
    for (const layer of layers)
      this.map.addLayer({ ...layer, source: id } as LayerSpecification, above?.layers[0]);
    this.added.set(id, { order, layers: layers.map((layer) => layer.id) });
  }

  update(id: string, data: FeatureCollection): void {
    this.map.getSource<GeoJSONSource>(id)?.setData(data);
  }

  remove(id: string): void {
    const added = this.added.get(id);
    if (!added) return;
    this.added.delete(id);
    for (const layer of added.layers) this.map.removeLayer(layer);
    this.map.removeSource(id);
  }
}
