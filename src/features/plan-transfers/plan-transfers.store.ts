import { type MissionItem, planHash } from "../../domain/mission-item";
import type { Db } from "../../platform/postgres/db";
import { Plan, type PlanTransfer, type UnfinishedTransfer } from "../../vehicle";

/** Returns the record's id. */
export async function insertTransfer(
  db: Db,
  droneId: number,
  { kind, missionId, before, sent }: PlanTransfer,
): Promise<string> {
  const [row] = await db("plan_transfers")
    .insert({
      drone_id: droneId,
      kind,
      mission_id: missionId ?? null,
      before: before ? JSON.stringify(before) : null,
      sent: JSON.stringify(sent),
    })
    .returning("id");
  return (row as { id: string }).id;
}

/** Of a mission that was read back, keeps the plan for the executions that fly it. */
export async function endTransfer(db: Db, id: string, verified?: readonly MissionItem[]): Promise<void> {
  await db.raw(
    `WITH ended AS (DELETE FROM plan_transfers WHERE id = :id RETURNING drone_id, kind, mission_id)
     INSERT INTO verified_plans (drone_id, mission_id, hash, items)
     SELECT drone_id, mission_id, :hash, :items FROM ended WHERE kind = 'mission' AND :isVerified`,
    {
      id,
      isVerified: verified !== undefined,
      hash: planHash(verified ?? []),
      items: JSON.stringify(verified ?? []),
    },
  );
}

/** The newest first. */
export async function unfinishedTransfers(db: Db, droneId: number): Promise<UnfinishedTransfer[]> {
  const rows = await db("plan_transfers").where({ drone_id: droneId }).orderBy("id", "desc");
  return rows.map(({ id, kind, mission_id, before, sent }) => ({
    ...{ id, kind },
    missionId: mission_id ?? undefined,
    before: before === null ? undefined : Plan.parse(before),
    sent: Plan.parse(sent),
  }));
}

/** The upload after which a plan with this hash was last read back from the drone. */
export const verifiedUpload = async (
  db: Db,
  droneId: number,
  hash: string,
): Promise<{ mission_id: number | null; verified_at: Date } | undefined> =>
  db("verified_plans")
    .where({ drone_id: droneId, hash })
    .orderBy("id", "desc")
    .first("mission_id", "verified_at");
