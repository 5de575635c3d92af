import type { Db } from "../../platform/postgres/db";

/** pending: the log is being read. ready. failed: it is no log that can be read; `error` says why. */
export interface StatsRow {
  readonly execution_id: number;
  readonly asset_id: number | null;
  readonly status: "pending" | "ready" | "failed";
  readonly stats: unknown;
  readonly error: string | null;
  readonly analysed_at: Date | null;
}

export const findStats = async (db: Db, executionId: number): Promise<StatsRow | undefined> =>
  db<StatsRow>("flight_stats").where({ execution_id: executionId }).first();

/** Statistics of this log are to come; those of another one are forgotten. */
export const expectStats = async (trx: Db, executionId: number, assetId: number): Promise<void> => {
  const row = {
    execution_id: executionId,
    asset_id: assetId,
    status: "pending",
    stats: null,
    error: null,
    analysed_at: null,
  };
  await trx("flight_stats").insert(row).onConflict("execution_id").merge();
};

/** The log was moved to another execution: what it says is not of this one. */
export const forgetStats = async (trx: Db, executionId: number, assetId: number): Promise<void> => {
  await trx("flight_stats").where({ execution_id: executionId, asset_id: assetId }).delete();
};

/** Statistics of a log that was deleted before it was read will never come. */
export const forgetUnread = async (trx: Db, executionId: number): Promise<void> => {
  await trx("flight_stats").where({ execution_id: executionId, asset_id: null, status: "pending" }).delete();
};

/** Returns false when another log, or none, is expected by now. */
export const keepStats = async (
  trx: Db,
  executionId: number,
  assetId: number,
  found: { stats: unknown } | { error: string },
  at: Date,
): Promise<boolean> =>
  (await trx("flight_stats")
    .where({ execution_id: executionId, asset_id: assetId })
    .update({
      status: "stats" in found ? "ready" : "failed",
      stats: "stats" in found ? JSON.stringify(found.stats) : null,
      error: "error" in found ? found.error : null,
      analysed_at: at,
    })) === 1;
