import type { Db } from "../../platform/postgres/db";
import { PlanStore } from "../plans";
import { type GeofencePoint, geofencePointColumns } from "./geofences.schema";

export const geofenceStore = new PlanStore<GeofencePoint>({
  plans: "geofences",
  points: "geofence_points",
  parent: "geofence_id",
  planColumns: ["id", "name", "type", "fence_type", "enabled"],
  pointColumns: geofencePointColumns,
});

/** In one statement, so that two toggles at once are two toggles. Returns whether there was such a geofence. */
export async function toggleGeofence(db: Db, userId: number, id: number): Promise<boolean> {
  const toggled = await db("geofences")
    .where({ id, user_id: userId })
    .update({ enabled: db.raw("NOT enabled") });
  return toggled === 1;
}
