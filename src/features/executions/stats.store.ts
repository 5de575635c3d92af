import type { FlightStats } from "../../flight-log";
import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { FlightStatsReply } from "./executions.schema";

export interface StatsRow extends Omit<RowOf<typeof FlightStatsReply>, "stats"> {
  readonly stats: FlightStats | null;
}

export const findStats = async (db: Db, executionId: number): Promise<StatsRow | undefined> =>
  db<StatsRow>("flight_stats").where({ execution_id: executionId }).first();

/** Marks the statistics of this log as pending, in place of another log's. `recorded`: it is a flight record. */
export const resetStats = async (
  trx: Db,
  executionId: number,
  assetId: number,
  recorded = false,
): Promise<void> => {
  const row = {
    execution_id: executionId,
    asset_id: assetId,
    recorded,
    status: "pending",
    stats: null,
    error: null,
    analysed_at: null,
  };
  await trx("flight_stats").insert(row).onConflict("execution_id").merge();
};

/** The log was moved to another execution. */
export const deleteStats = async (trx: Db, executionId: number, assetId: number): Promise<void> => {
  await trx("flight_stats").where({ execution_id: executionId, asset_id: assetId }).delete();
};

/** Deletes the pending statistics of a log that was deleted. */
export const deletePendingStats = async (trx: Db, executionId: number): Promise<void> => {
  await trx("flight_stats").where({ execution_id: executionId, asset_id: null, status: "pending" }).delete();
};

/** Returns false when the execution has another log meanwhile, or none. */
export const saveStats = async (
  trx: Db,
  executionId: number,
  assetId: number,
  found: { stats: FlightStats } | { error: string },
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
