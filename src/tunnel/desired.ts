import type { Db } from "../platform/db";
import type { FleetRow } from "./fleet";

const LIMIT_MS = 5_000;

/**
 * Everyone with an address, in one statement: users and drones are of the same instant. Reads only. Rejects when
 * the database does not answer within five seconds.
 */
export async function readRows(db: Db): Promise<FleetRow[]> {
  const { rows } = await db
    .raw(`
    SELECT 'users' AS plane, id, host(ip) AS ip, vpn_key_id AS key_id, NULL::integer AS owner,
      NULL::integer AS port
    FROM users WHERE ip IS NOT NULL
    UNION ALL
    SELECT 'drones', id, host(ip), vpn_key_id, user_id, port
    FROM drones WHERE type = 'physical' AND deleted_at IS NULL AND ip IS NOT NULL`)
    .timeout(LIMIT_MS);
  return rows;
}
