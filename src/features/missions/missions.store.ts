import type { Db } from "../../platform/postgres/db";
import { PlanStore } from "../plans";
import { type Mission, type MissionPoint, missionPointColumns } from "./missions.schema";

export const missionStore = new PlanStore<Mission, MissionPoint>({
  plans: "missions",
  points: "mission_points",
  parent: "mission_id",
  planColumns: ["id", "name"],
  pointColumns: missionPointColumns,
});

/** Only the user's own drones: another's that flies this mission keeps it, and keeps it from being deleted. */
export async function unlinkDrones(db: Db, userId: number, missionId: number): Promise<void> {
  await db("drones").where({ mission_id: missionId, user_id: userId }).update({ mission_id: null });
}
