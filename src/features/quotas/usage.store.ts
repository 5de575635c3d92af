import type { Db } from "../../platform/postgres/db";

interface DroneAssets {
  readonly drone_id: number;
  readonly assets: number;
  readonly pending_assets: number;
}

/** Of every live drone of a user. */
export async function droneAssets(db: Db, userId: number): Promise<DroneAssets[]> {
  const { rows } = await db.raw(
    `SELECT d.id AS drone_id, count(a.id)::int AS assets,
       count(a.id) FILTER (WHERE a.status <> 'ready' AND a.url_expires_at > now())::int AS pending_assets
     FROM drones d LEFT JOIN assets a ON a.drone_id = d.id AND a.user_id = d.user_id AND a.record IS NULL
     WHERE d.user_id = ? AND d.deleted_at IS NULL GROUP BY d.id ORDER BY d.id`,
    [userId],
  );
  return rows;
}
