import type { Db } from "../../platform/postgres/db";
import { PlanStore } from "../plans";
import { type MissionPoint, missionPointColumns } from "./missions.schema";

export const missionStore = new PlanStore<MissionPoint>({
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

/** The user's mission, which cannot be deleted until the transaction ends. */
export const lockMission = async (
  trx: Db,
  userId: number,
  id: number,
): Promise<{ name: string } | undefined> =>
  trx("missions").where({ id, user_id: userId }).forKeyShare().first("name");
