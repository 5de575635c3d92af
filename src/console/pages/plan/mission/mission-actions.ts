import type { Signal } from "@preact/signals";
import type { LatLng } from "../../../map/features";
import { commandOf, WAYPOINT } from "../commands";
import type { PlanEditor } from "../editor/plan-editor";
import { isOnPath, type MissionContent, newRow, nextKey, positionKind, type Row } from "./row";
import { asCommand, changeRow, deleteRow, insertRows, moveRow } from "./row-edits";

export type MissionActions = ReturnType<typeof missionActions>;

/** What the user does to the rows of a mission. Each is one step of the history. */
export function missionActions(editor: PlanEditor<MissionContent>, selected: Signal<number | undefined>) {
  const rows = () => editor.history.peek().rows;
  const setRows = (changed: readonly Row[], name?: string) => {
    const content = editor.history.peek();
    if (changed !== content.rows) editor.change({ ...content, rows: changed }, name);
  };
  const indexOf = (key: number | undefined) => rows().findIndex((row) => row.key === key);
  const insert = (at: number, command: number, position: LatLng | undefined) => {
    const key = nextKey(rows());
    const before = rows().slice(0, at).findLast(isOnPath);
    const row = newRow(commandOf(command) ?? waypoint, key, position, before);
    setRows(insertRows(rows(), at, [{ ...row, command }]));
    selected.value = key;
  };

  return {
    /** Behind the selected row, else at the end. */
    add(command: number, position: LatLng | undefined) {
      const at = indexOf(selected.peek());
      insert(at < 0 ? rows().length : at + 1, command, position);
    },
    /** A waypoint behind the row. */
    insertBehind(key: number, position: LatLng) {
      insert(indexOf(key) + 1, WAYPOINT, position);
    },
    moveTo(key: number, { lat, lng }: LatLng) {
      setRows(changeRow(rows(), key, { lat, lng }));
      selected.value = key;
    },
    reorder(from: number, to: number) {
      setRows(moveRow(rows(), from, to));
    },
    remove(key: number) {
      const at = indexOf(key);
      setRows(deleteRow(rows(), key));
      if (selected.peek() === key) selected.value = (rows()[at] ?? rows()[at - 1])?.key;
    },
    change(key: number, change: Partial<Row>) {
      setRows(changeRow(rows(), key, change), `${key} ${Object.keys(change)}`);
    },
    setCommand(row: Row, command: number) {
      const fresh = newRow(commandOf(command) ?? waypoint, row.key, undefined, undefined);
      setRows(changeRow(rows(), row.key, asCommand(row, command, fresh)));
    },
    /** For all rows that are flown to above 0 m, which a landing is not. */
    setAllHeights({ altitude, frame }: Pick<Row, "altitude" | "frame">) {
      const isFlown = (row: Row) => positionKind(row) === "path" && row.altitude > 0;
      setRows(rows().map((row) => (isFlown(row) ? { ...row, altitude, frame } : row)));
    },
    rename(name: string) {
      editor.change({ ...editor.history.peek(), name }, "name");
    },
  };
}

const waypoint = commandOf(WAYPOINT) as NonNullable<ReturnType<typeof commandOf>>;
