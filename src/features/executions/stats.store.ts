import type { FlightStats } from "../../flight-log";
import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { Asset } from "../assets";
import type { FlightStatsReply } from "./executions.schema";

export interface StatsRow extends Omit<RowOf<typeof FlightStatsReply>, "stats"> {
  readonly stats: FlightStats | null;
}

/** Of an execution: with `stats` of a flight record, `error` says why the drone's own log cannot be read. */
export interface AnalysedLogs {
  readonly stats?: FlightStats;
  readonly error?: string;
  /** The first record, when the statistics are of records. */
  readonly record?: Pick<Asset, "id">;
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
  { stats, error, record }: AnalysedLogs,
  at: Date,
): Promise<boolean> =>
  (await trx("flight_stats")
    .where({ execution_id: executionId, asset_id: assetId })
    .update({
      status: stats ? "ready" : "failed",
      stats: stats ? JSON.stringify(stats) : null,
      error: error ?? null,
      analysed_at: at,
      ...(record && { asset_id: record.id, recorded: true }),
    })) === 1;
