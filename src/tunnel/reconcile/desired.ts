import type { Db } from "../../platform/postgres/db";
import type { FleetRow } from "./fleet";
import type { RowIds } from "./row-cache";

const LIMIT_MS = 5_000;

const rowsWhere = (users: string, drones: string): string => `
  SELECT 'users' AS plane, id, host(ip) AS ip, vpn_key_id AS key_id, NULL::integer AS owner,
    NULL::integer AS port
  FROM users WHERE ip IS NOT NULL ${users}
  UNION ALL
  SELECT 'drones', id, host(ip), vpn_key_id, user_id, port
  FROM drones WHERE type = 'physical' AND deleted_at IS NULL AND ip IS NOT NULL ${drones}`;

const allRows = rowsWhere("", "");
const someRows = rowsWhere("AND id = ANY(?)", "AND id = ANY(?)");

/**
 * Everyone with an address, in one statement: users and drones are of the same instant. Reads only. Rejects when
 * the database does not answer within five seconds.
 */
export async function readRows(db: Db): Promise<FleetRow[]> {
  const { rows } = await db.raw(allRows).timeout(LIMIT_MS);
  return rows;
}

/** As `readRows`, of these rows only; one that has no address, or is gone, is not among them. */
export async function readSomeRows(db: Db, ids: RowIds): Promise<FleetRow[]> {
  const { rows } = await db.raw(someRows, [[...ids.users], [...ids.drones]]).timeout(LIMIT_MS);
  return rows;
}
