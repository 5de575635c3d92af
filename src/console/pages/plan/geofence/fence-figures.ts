import { type LatLng, metresBetween } from "../../../map/features";
import { strings } from "../../../strings";
import type { FenceContent } from "./fence";

export interface FenceFigures {
  /** Metres. */
  readonly border: number;
  /** Square metres. */
  readonly area: number;
}

export function figuresOf({ type, rows }: FenceContent): FenceFigures {
  if (type === "circle") {
    const sum = (of: (radius: number) => number) => rows.reduce((all, { radius }) => all + of(radius), 0);
    return { border: sum((r) => 2 * Math.PI * r), area: sum((r) => Math.PI * r * r) };
  }
  if (rows.length < 3) return { border: 0, area: 0 };
  const border = rows.reduce((all, row, at) => all + metresBetween(row, after(rows, at)), 0);
  return { border, area: areaOf(rows) };
}

const after = <Item>(items: readonly Item[], at: number): Item => items[(at + 1) % items.length] as Item;

const METRES_PER_DEGREE = 111_320;

/** On the plane through its first corner: exact enough for what a small vehicle flies. */
function areaOf(rows: readonly LatLng[]): number {
  const [first] = rows as [LatLng];
  const flat = rows.map(({ lat, lng }) => ({
    x: (lng - first.lng) * METRES_PER_DEGREE * Math.cos((first.lat * Math.PI) / 180),
    y: (lat - first.lat) * METRES_PER_DEGREE,
  }));
  return (
    Math.abs(flat.reduce((sum, a, at) => sum + a.x * after(flat, at).y - after(flat, at).x * a.y, 0)) / 2
  );
}

/** Corners beyond which crossings are not looked for: each border is compared with each other one. */
const MOST_COMPARED = 500;

const text = strings.plan.fence.faults;

/** What a push refuses (`isError`) or a vehicle may. */
export function fenceFaults(content: FenceContent): readonly { isError: boolean; text: string }[] {
  const { type, rows } = content;
  if (type === "circle") {
    if (rows.length === 0) return [{ isError: true, text: text.noCentre }];
    return rows.some(({ radius }) => !(radius > 0)) ? [{ isError: true, text: text.noRadius }] : [];
  }
  if (rows.length < 3) return [{ isError: true, text: text.fewCorners }];
  return rows.length <= MOST_COMPARED && crosses(rows) ? [{ isError: false, text: text.crosses }] : [];
}

function crosses(rows: readonly LatLng[]): boolean {
  const count = rows.length;
  for (let a = 0; a < count; a++)
    for (let b = a + 2; b < count; b++) {
      // The last border ends where the first begins.
      if (a === 0 && b === count - 1) continue;
      const [p, q, r, s] = [rows[a], after(rows, a), rows[b], after(rows, b)] as [
        LatLng,
        LatLng,
        LatLng,
        LatLng,
      ];
      if (side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0) return true;
    }
  return false;
}

/** On which side of the line from `a` to `b` the position lies: above 0, below 0, or 0 on it. */
const side = (a: LatLng, b: LatLng, { lat, lng }: LatLng): number =>
  (b.lng - a.lng) * (lat - a.lat) - (b.lat - a.lat) * (lng - a.lng);
