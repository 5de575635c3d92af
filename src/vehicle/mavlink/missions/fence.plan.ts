import { fenceAreas } from "../../../domain/fence-areas";
import { distance, insidePolygon, type LatLng } from "../../../domain/geo";
import type { MissionItem } from "../../../domain/mission-item";

/**
 * Whether a position is outside of what the fence allows. Of several inclusions ArduPilot demands all, PX4 any
 * (ArduPilot's FENCE_OPTIONS can make it any there too).
 */
export function isOutsideFence(
  fence: readonly MissionItem[],
  position: LatLng,
  autopilot: "ardupilot" | "px4",
): boolean {
  const zones = zonesOf(fence, position);
  const inclusions = zones.filter(({ isInclusion }) => isInclusion);
  const allowed =
    autopilot === "px4"
      ? inclusions.length === 0 || inclusions.some(({ contains }) => contains)
      : inclusions.every(({ contains }) => contains);
  return !allowed || zones.some(({ isInclusion, contains }) => !isInclusion && contains);
}

const zonesOf = (fence: readonly MissionItem[], position: LatLng): Zone[] =>
  fenceAreas(fence).map(({ type, fence_type, items }) => ({
    isInclusion: fence_type === "inclusion",
    contains:
      type === "polygon"
        ? insidePolygon(position, items.map(positionOf))
        : items.some((centre) => distance(positionOf(centre), position) <= centre.param1),
  }));

interface Zone {
  readonly isInclusion: boolean;
  readonly contains: boolean;
}

const positionOf = ({ x_lat, y_long }: MissionItem): LatLng => ({ lat: x_lat, lng: y_long });
