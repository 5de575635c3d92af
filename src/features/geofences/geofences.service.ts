import type { Db } from "../../platform/postgres/db";
import { type PlanLimits, PlanService } from "../plans";
import type { Geofence, GeofenceChange, GeofenceKind } from "./geofences.schema";
import { geofenceStore, toggleGeofence } from "./geofences.store";

export class GeofenceService extends PlanService<GeofenceKind> {
  constructor(db: Db, limits?: PlanLimits) {
    super(db, geofenceStore, "geofence", limits);
  }

  change(userId: number, id: number, change: GeofenceChange): Promise<string> {
    return this.changed(userId, async (trx) =>
      (await this.store.update(trx, userId, id, change)) ? id : this.missing(id),
    );
  }

  /** enabled ↔ disabled. */
  toggle(userId: number, id: number): Promise<string> {
    return this.changed(userId, async (trx) =>
      (await toggleGeofence(trx, userId, id)) ? id : this.missing(id),
    );
  }

  /** What a vehicle gets when its fence is synchronised. */
  async enabled(userId: number): Promise<Geofence[]> {
    const all: Geofence[] = JSON.parse(String(await this.listJson(userId)));
    return all.filter(({ enabled }) => enabled);
  }
}
