import { MavCommand, type MissionItem } from "./mission-item";

/** A circle or a polygon of a fence. */
export interface FenceArea {
  readonly type: "polygon" | "circle";
  readonly fence_type: "inclusion" | "exclusion";
  /** A circle's centre or a polygon's vertices, as they stand in the fence. */
  readonly items: readonly MissionItem[];
  /** The first one's index in the fence. */
  readonly start: number;
}

const kinds: Readonly<Record<number, Pick<FenceArea, "type" | "fence_type">>> = {
  [MavCommand.polygonInclusion]: { type: "polygon", fence_type: "inclusion" },
  [MavCommand.polygonExclusion]: { type: "polygon", fence_type: "exclusion" },
  [MavCommand.circleInclusion]: { type: "circle", fence_type: "inclusion" },
  [MavCommand.circleExclusion]: { type: "circle", fence_type: "exclusion" },
};

/** Without the return point, and without what no autopilot keeps in a fence. */
export function fenceAreas(fence: readonly MissionItem[]): FenceArea[] {
  const areas: FenceArea[] = [];
  for (let start = 0; start < fence.length; ) {
    const { command, param1 } = fence[start] as MissionItem;
    const kind = kinds[command];
    let end = start + 1;
    if (kind?.type === "polygon") while (end - start < param1 && fence[end]?.command === command) end += 1;
    if (kind) areas.push({ ...kind, items: fence.slice(start, end), start });
    start = end;
  }
  return areas;
}
