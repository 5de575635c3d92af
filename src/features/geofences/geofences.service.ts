import type { Db } from "../../platform/db";
import { PlanService } from "../plans";
import type { Geofence, GeofenceChange, GeofenceKind } from "./geofences.schema";
import { geofenceStore, toggleGeofence } from "./geofences.store";

export class GeofenceService extends PlanService<GeofenceKind> {
  constructor(db: Db) {
    super(db, geofenceStore, "geofence");
  }

  async change(userId: number, id: number, change: GeofenceChange): Promise<Geofence> {
    if (!(await this.store.update(this.db, userId, id, change))) this.missing(id);
    return this.get(userId, id);
  }

  /** enabled ↔ disabled. */
  async toggle(userId: number, id: number): Promise<Geofence> {
    if (!(await toggleGeofence(this.db, userId, id))) this.missing(id);
    return this.get(userId, id);
  }

  async remove(userId: number, id: number): Promise<void> {
    if (!(await this.store.delete(this.db, userId, id))) this.missing(id);
  }

  /** What a vehicle gets when its fence is synchronised. */
  async enabled(userId: number): Promise<Geofence[]> {
    return (await this.store.list(this.db, userId)).filter(({ enabled }) => enabled);
  }
}
