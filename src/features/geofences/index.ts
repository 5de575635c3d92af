import type { Route } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import type { PlanWithPoints } from "../plans";
import { geofenceRoutes } from "./geofences.routes";
import { AllGeofencePoints, Geofence, type GeofenceKind } from "./geofences.schema";
import { GeofenceService } from "./geofences.service";

export type { GeofencePoint } from "./geofences.schema";
export { AllGeofencePoints, Geofence };

/** Geofences and their vertices, stored. Nothing here reaches a vehicle. */
export function geofences({ db }: { readonly db: Db }): { readonly routes: readonly Route[] } {
  return { routes: geofenceRoutes(new GeofenceService(db)) };
}

/** The user's geofence with its points in order, enabled or not; or `not_found`. */
export const geofenceForUpload = (db: Db, userId: number, geofenceId: number): Promise<Geofence> =>
  new GeofenceService(db).get(userId, geofenceId);

/** The user's enabled geofences, each with its points in order. */
export const enabledGeofences = (db: Db, userId: number): Promise<Geofence[]> =>
  new GeofenceService(db).enabled(userId);

/** Creates geofences with their points, which have every column, all or none. Returns each as JSON, in the same order. */
export const createGeofences = (
  db: Db,
  userId: number,
  geofences: readonly PlanWithPoints<GeofenceKind>[],
): Promise<string[]> => new GeofenceService(db).createAll(userId, geofences);
