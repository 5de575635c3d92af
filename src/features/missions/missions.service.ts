import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { explainDatabaseError } from "../../platform/postgres/errors";
import { type PlanLimits, PlanService } from "../plans";
import type { MissionKind } from "./missions.schema";
import { missionStore, unlinkDrones } from "./missions.store";

export class MissionService extends PlanService<MissionKind> {
  constructor(db: Db, limits?: PlanLimits) {
    super(db, missionStore, "mission", limits);
  }

  /** Takes the mission off the user's drones, and deletes it with its points. */
  override async remove(userId: number, missionId: number): Promise<void> {
    try {
      await this.db.transaction(async (trx) => {
        await unlinkDrones(trx, userId, missionId);
        if (!(await this.store.delete(trx, userId, missionId))) this.missing(missionId);
      });
    } catch (error) {
      if (explainDatabaseError(error)?.code !== "still_referenced") throw error;
      const message = "A drone still uses this mission; unassign it from the drone first.";
      throw new DomainError("still_referenced", message, { cause: error });
    }
  }
}
