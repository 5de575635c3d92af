import type { Geofence } from "../../geofences";
import type { Mission } from "../../missions";
import { paramsOf } from "./items";
import type { WrittenFile } from "./plan-file";

/**
 * QGroundControl's `.plan`. It requires a firmware, a vehicle and speeds, which a stored mission has not: ArduPilot
 * and a multirotor with QGroundControl's own default speeds stand there.
 */

/** MAV_AUTOPILOT_ARDUPILOTMEGA, by which QGroundControl counts home as item 0; MAV_TYPE_QUADROTOR; m/s. */
const VEHICLE = { firmwareType: 3, vehicleType: 2, cruiseSpeed: 15, hoverSpeed: 5 };

type Position = { readonly lat: number; readonly lng: number };

export function writePlanMission({ mission_points }: Mission): WrittenFile {
  const items = mission_points.map((point, index) => ({
    autoContinue: point.autocontinue,
    command: point.command,
    doJumpId: index + 1,
    frame: point.frame,
    params: paramsOf(point),
    type: "SimpleItem",
  }));
  const home = mission_points.find(({ lat, lng, frame }) => (lat !== 0 || lng !== 0) && frame !== 2);
  const lost = [
    ["type", mission_points.some(({ type }) => type !== "fly")],
    ["label", mission_points.some(({ label }) => label !== null)],
    ["is_current", mission_points.some(({ is_current }) => is_current)],
  ] as const;
  const leftOut = lost.filter(([, isLost]) => isLost).map(([field]) => field);
  return { text: fileOf(items, home, [], []), leftOut: ["name", ...leftOut] };
}

/** A circle of several points is several circles. */
export function writePlanFence({
  type,
  fence_type,
  enabled,
  geofence_points: points,
}: Geofence): WrittenFile {
  const common = { inclusion: fence_type === "inclusion", version: 1 };
  const polygons =
    type === "polygon" ? [{ ...common, polygon: points.map(({ lat, lng }) => [lat, lng]) }] : [];
  const circles =
    type === "circle"
      ? points.map(({ lat, lng, param1 }) => ({ circle: { center: [lat, lng], radius: param1 }, ...common }))
      : [];
  const leftOut = [
    "name",
    ...(enabled ? [] : ["enabled"]),
    ...(points.some(({ frame }) => frame !== 3) ? ["frame"] : []),
  ];
  return { text: fileOf([], points[0], polygons, circles), leftOut };
}

function fileOf(
  items: readonly object[],
  home: Position | undefined,
  polygons: readonly object[],
  circles: readonly object[],
): string {
  const file = {
    fileType: "Plan",
    geoFence: { circles, polygons, version: 2 },
    groundStation: "Fleet Gateway",
    mission: {
      ...VEHICLE,
      globalPlanAltitudeMode: 0,
      items,
      plannedHomePosition: [home?.lat ?? 0, home?.lng ?? 0, 0],
      version: 2,
    },
    rallyPoints: { points: [], version: 2 },
    version: 1,
  };
  return JSON.stringify(file);
}
