import { distance, insidePolygon, type LatLng } from "../../domain/geo";
import { MissionResult, type PlanItem } from "../missions/plan-item";

const FENCE = { return: 5000, inclusion: 5001, exclusion: 5002, circleIn: 5003, circleOut: 5004 } as const;

export type FenceShape =
  | { readonly kind: "polygon"; readonly inside: boolean; readonly vertices: readonly LatLng[] }
  | { readonly kind: "circle"; readonly inside: boolean; readonly centre: LatLng; readonly radius: number };

export type Fence =
  | { readonly shapes: readonly FenceShape[] }
  | { readonly refused: MissionResult; readonly because: string };

export const positionOf = (item: PlanItem): LatLng => ({ lat: item.x / 1e7, lng: item.y / 1e7 });

/** The refusal of one item on arrival, before the whole fence is checked. */
export function checkFenceItem(item: PlanItem): MissionResult {
  if (![0, 3, 5, 6, 10, 11].includes(item.frame)) return MissionResult.UNSUPPORTED_FRAME;
  return item.command >= FENCE.return && item.command <= FENCE.circleOut
    ? MissionResult.ACCEPTED
    : MissionResult.UNSUPPORTED;
}

/** What an autopilot keeps of a fence item: two dimensions, and the one parameter. */
export const keepFenceItem = (item: PlanItem): PlanItem => ({
  ...item,
  frame: 0,
  autocontinue: 0,
  param2: 0,
  param3: 0,
  param4: 0,
  z: 0,
});

/** The shapes of a fence plan, or why an autopilot refuses the whole (AC_PolyFence_loader::validate_fence). */
export function readFence(items: readonly PlanItem[]): Fence {
  const shapes: FenceShape[] = [];
  let at = 0;
  while (at < items.length) {
    const first = items[at]!;
    const centre = positionOf(first);
    if (Math.abs(centre.lat) > 90 || Math.abs(centre.lng) > 180) return refused("Fence: bad lat/lng");
    if (first.command === FENCE.return) {
      at += 1;
      continue;
    }
    if (first.command === FENCE.circleIn || first.command === FENCE.circleOut) {
      if (!(first.param1 > 0)) return refused("Non-positive circle radius");
      shapes.push({ kind: "circle", inside: first.command === FENCE.circleIn, centre, radius: first.param1 });
      at += 1;
      continue;
    }
    const count = first.param1;
    if (count < 3) return refused(`Invalid vertex count (${count})`);
    const vertices = items.slice(at, at + count);
    if (vertices.length < count) return refused("Incorrect item count");
    for (const vertex of vertices) {
      if (vertex.command !== first.command)
        return refused(`Received incorrect vertex type (want=${first.command} got=${vertex.command})`);
      if (vertex.param1 !== count)
        return refused(`Unexpected vertex count want=${count} got=${vertex.param1}`);
    }
    shapes.push({
      kind: "polygon",
      inside: first.command === FENCE.inclusion,
      vertices: vertices.map(positionOf),
    });
    at += count;
  }
  return { shapes };
}

const refused = (because: string): Fence => ({ refused: MissionResult.ERROR, because });

const within = (shape: FenceShape, point: LatLng): boolean =>
  shape.kind === "circle"
    ? distance(shape.centre, point) <= shape.radius
    : insidePolygon(point, shape.vertices);

/** What a position is compared with: the shapes on board, and who compares. */
interface Fenced {
  readonly autopilot: "ardupilot" | "px4";
  readonly fence: readonly FenceShape[];
}

/**
 * Whether a position breaches a fence: inside an exclusion, or outside an inclusion. Of several inclusions ArduPilot must
 * be in all, PX4 in one.
 */
export function breaksFence({ autopilot, fence }: Fenced, point: LatLng): boolean {
  if (fence.some((shape) => !shape.inside && within(shape, point))) return true;
  const inclusions = fence.filter(({ inside }) => inside);
  const kept = inclusions.filter((shape) => within(shape, point)).length;
  return autopilot === "px4" ? inclusions.length > 0 && kept === 0 : kept < inclusions.length;
}
