import type { Signal } from "@preact/signals";
import { type LatLng, metresBetween } from "../../../map/features";
import type { PlanEditor } from "../editor/plan-editor";
import { asType, type FenceContent, newVertex, type Vertex } from "./fence";

export type FenceActions = ReturnType<typeof fenceActions>;

/** What the user does to a geofence. Each is one step of the history. */
export function fenceActions(editor: PlanEditor<FenceContent>, selected: Signal<number | undefined>) {
  const content = () => editor.history.peek();
  const set = (rows: readonly Vertex[], name?: string) => editor.change({ ...content(), rows }, name);
  const indexOf = (key: number | undefined) => content().rows.findIndex((row) => row.key === key);
  const insert = (at: number, position: LatLng) => {
    const vertex = newVertex(content().rows, position);
    set(content().rows.toSpliced(at, 0, vertex));
    selected.value = vertex.key;
  };
  const change = (key: number, columns: Partial<Vertex>, name?: string) =>
    set(
      content().rows.map((row) => (row.key === key ? { ...row, ...columns } : row)),
      name,
    );

  return {
    /** Behind the selected vertex, else at the end. A circle is moved there. */
    add(position: LatLng) {
      const { type, rows } = content();
      const [centre] = rows;
      if (type === "circle" && centre) return change(centre.key, { lat: position.lat, lng: position.lng });
      const at = indexOf(selected.peek());
      insert(at < 0 ? rows.length : at + 1, position);
    },
    insertBehind(key: number, position: LatLng) {
      insert(indexOf(key) + 1, position);
    },
    moveTo(key: number, { lat, lng }: LatLng) {
      change(key, { lat, lng });
      selected.value = key;
    },
    /** The circle's border goes through the position. */
    resize(key: number, position: LatLng) {
      const centre = content().rows[indexOf(key)];
      if (centre) change(key, { radius: radiusTo(centre, position) });
    },
    change(key: number, columns: Partial<Vertex>) {
      change(key, columns, `${key} ${Object.keys(columns)}`);
    },
    reorder(from: number, to: number) {
      const { rows } = content();
      const moved = rows[from];
      if (moved) set(rows.toSpliced(from, 1).toSpliced(to, 0, moved));
    },
    remove(key: number) {
      const at = indexOf(key);
      set(content().rows.filter((row) => row.key !== key));
      if (selected.peek() === key) selected.value = (content().rows[at] ?? content().rows[at - 1])?.key;
    },
    setType(type: FenceContent["type"]) {
      editor.change(asType(content(), type));
      selected.value = undefined;
    },
    setFields(fields: Partial<Pick<FenceContent, "name" | "fence_type" | "enabled">>) {
      editor.change({ ...content(), ...fields }, "name" in fields ? "name" : undefined);
    },
  };
}

/** Metres, in tenths. */
export const radiusTo = (centre: LatLng, position: LatLng): number =>
  Math.max(1, Math.round(metresBetween(centre, position) * 10) / 10);
