import type { LatLng } from "../../../map/features";

/** Compass degrees from one position to another that is not far. */
export function bearing(from: LatLng, to: LatLng): number {
  const north = to.lat - from.lat;
  const east = (to.lng - from.lng) * Math.cos((from.lat * Math.PI) / 180);
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}
