import { commandOf, JUMP } from "../commands";
import type { Row } from "./row";

type Rows = readonly Row[];

/** With these rows behind the first `at`. */
export const insertRows = (rows: Rows, at: number, added: Rows): Rows =>
  withJumps(rows, [...rows.slice(0, at), ...added, ...rows.slice(at)]);

export const deleteRow = (rows: Rows, key: number): Rows =>
  withJumps(
    rows,
    rows.filter((row) => row.key !== key),
  );

/** With the row at one index moved to another. */
export function moveRow(rows: Rows, from: number, to: number): Rows {
  const moved = rows[from];
  if (!moved || from === to) return rows;
  const others = rows.toSpliced(from, 1);
  return withJumps(rows, others.toSpliced(to, 0, moved));
}

/** A jump to one's own choice of row is a change as any other. */
export const changeRow = (rows: Rows, key: number, change: Partial<Row>): Rows =>
  rows.map((row) => (row.key === key ? { ...row, ...change } : row));

/** Leads to no row. */
export const NOWHERE = 0;

/** The rows, whose jumps lead where they led before; nowhere when that row is gone. */
function withJumps(before: Rows, after: Rows): Rows {
  if (!after.some(isJump)) return after;
  const known = new Set(before.map(({ key }) => key));
  const places = new Map(after.map(({ key }, at) => [key, at + 1]));
  return after.map((row) => {
    // An added jump names its row as it is now.
    if (!isJump(row) || !known.has(row.key)) return row;
    const target = before[row.param1 - 1];
    const param1 = target ? (places.get(target.key) ?? NOWHERE) : row.param1;
    return param1 === row.param1 ? row : { ...row, param1 };
  });
}

export const isJump = ({ command }: Row): boolean => command === JUMP;

/** The row as another command, whose parameters begin as those of a new one. A position stays where both have one. */
export function asCommand(row: Row, command: number, fresh: Row): Row {
  const places = [row.command, command].map((id) => commandOf(id)?.position ?? "target");
  const { key, label, type } = row;
  const kept = places.includes("none")
    ? {}
    : { lat: row.lat, lng: row.lng, altitude: row.altitude, frame: row.frame };
  return { ...fresh, ...kept, key, label, type, command };
}
