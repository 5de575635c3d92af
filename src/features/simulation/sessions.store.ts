import type { Db } from "../../platform/postgres/db";

interface SessionRow {
  readonly instance_id: string;
  readonly started_at: Date;
}

/**
 * Locks the instance until the transaction ends. Returns false at once when another request of any process holds the
 * lock: a provider may take seconds, and waiting requests would hold all database connections.
 */
export const lockInstance = async (trx: Db): Promise<boolean> =>
  (await trx.raw("select pg_try_advisory_xact_lock(hashtextextended('simulation instance', 0)) as held"))
    .rows[0].held;

/** When the running session began; it outlives every process of ours. */
export const sessionStart = async (db: Db, instanceId: string): Promise<Date | undefined> =>
  (await db<SessionRow>("simulation_sessions").where({ instance_id: instanceId }).first())?.started_at;

export const beginSession = async (db: Db, instanceId: string, at: Date): Promise<void> => {
  await db<SessionRow>("simulation_sessions")
    .insert({ instance_id: instanceId, started_at: at })
    .onConflict("instance_id")
    .merge();
};

export const endSession = async (db: Db, instanceId: string): Promise<void> => {
  await db("simulation_sessions").where({ instance_id: instanceId }).delete();
};
