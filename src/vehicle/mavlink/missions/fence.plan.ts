import { distance, insidePolygon, type LatLng } from "../../../domain/geo";
import { MavCommand, type MissionItem } from "../../../domain/mission-item";

interface Zone {
  readonly isInclusion: boolean;
  readonly contains: boolean;
}

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

function zonesOf(fence: readonly MissionItem[], position: LatLng): Zone[] {
  const zones: Zone[] = [];
  for (let at = 0; at < fence.length; ) {
    const first = fence[at] as MissionItem;
    const { command, param1 } = first;
    if (command === MavCommand.circleInclusion || command === MavCommand.circleExclusion) {
      const contains = distance(positionOf(first), position) <= param1;
      zones.push({ isInclusion: command === MavCommand.circleInclusion, contains });
      at += 1;
    } else {
      const vertices = fence.slice(at, at + Math.max(1, param1)).map(positionOf);
      zones.push({
        isInclusion: command === MavCommand.polygonInclusion,
        contains: insidePolygon(position, vertices),
      });
      at += vertices.length;
    }
  }
  return zones;
}

const positionOf = ({ x_lat, y_long }: MissionItem): LatLng => ({ lat: x_lat, lng: y_long });
