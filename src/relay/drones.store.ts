import type { Db } from "../platform/postgres/db";

/** The binding of a session: a live drone, its owner and its address at the time of reading. */
export interface BoundDrone {
  readonly id: number;
  readonly user_id: number;
  /** Null while the drone has no address. */
  readonly ip: string | null;
}

const live = (db: Db) => db<BoundDrone>("drones").whereNull("deleted_at").select("id", "user_id", "ip");

const MAX_ID = 2 ** 31 - 1;
/** A pilot waits no longer than this for a database that does not answer. */
const LOOK_UP_MS = 3_000;

/** The live drone, or undefined, also for an id beyond the column's range. */
export const findBoundDrone = async (db: Db, id: number): Promise<BoundDrone | undefined> =>
  id > MAX_ID ? undefined : live(db).where({ id }).first().timeout(LOOK_UP_MS);

/** Live drones that have one of these ids or addresses. */
export const findBoundDrones = async (
  db: Db,
  ids: readonly number[],
  ips: readonly string[],
): Promise<BoundDrone[]> =>
  live(db).where((any) =>
    any.whereRaw("id = any(?)", [[...ids]]).orWhereRaw("ip = any(?::inet[])", [[...ips]]),
  );
