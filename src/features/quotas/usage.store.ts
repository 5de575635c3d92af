import type { Db } from "../../platform/postgres/db";
import { IS_PENDING } from "../assets";

interface DroneAssets {
  readonly drone_id: number;
  readonly assets: number;
  readonly pending_assets: number;
}

/** Of every live drone of a user. */
export async function droneAssets(db: Db, userId: number, now: Date): Promise<DroneAssets[]> {
  const { rows } = await db.raw(
    `SELECT d.id AS drone_id, count(a.id)::int AS assets,
       count(a.id) FILTER (WHERE ${IS_PENDING})::int AS pending_assets
     FROM drones d LEFT JOIN assets a ON a.drone_id = d.id AND a.user_id = d.user_id AND a.record IS NULL
     WHERE d.user_id = :userId AND d.deleted_at IS NULL GROUP BY d.id ORDER BY d.id`,
    { userId, now },
  );
  return rows;
}
