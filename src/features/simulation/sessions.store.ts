import type { Db } from "../../platform/db";

interface SessionRow {
  readonly instance_id: string;
  readonly started_at: Date;
}

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
