import type { FlightStats, FlightTrack } from "../../flight-log";
import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import type { Asset } from "../assets";
import type { FlightStatsReply, FlightTrackReply } from "./executions.schema";

export interface StatsRow extends Omit<RowOf<typeof FlightStatsReply>, "stats"> {
  readonly stats: FlightStats | null;
}

export interface TrackRow extends Omit<RowOf<typeof FlightTrackReply>, "track"> {
  readonly track: FlightTrack | null;
}

/** Of an execution: with `stats` of a flight record, `error` says why the drone's own log cannot be read. */
export interface AnalysedLogs {
  readonly stats?: FlightStats;
  readonly track?: FlightTrack;
  readonly error?: string;
  /** The first record, when the statistics are of records. */
  readonly record?: Pick<Asset, "id">;
}

export const findStats = async (db: Db, executionId: number): Promise<StatsRow | undefined> =>
  db<StatsRow>("flight_stats").where({ execution_id: executionId }).first();

/** The track that was made with the present statistics. */
export const findTrack = async (db: Db, executionId: number): Promise<TrackRow | undefined> =>
  db("flight_stats as stats")
    // A release without tracks may have made the statistics anew.
    .leftJoin("flight_tracks as made", {
      "made.execution_id": "stats.execution_id",
      "made.analysed_at": "stats.analysed_at",
    })
    .where("stats.execution_id", executionId)
    .first(
      ...[
        "stats.execution_id",
        "stats.asset_id",
        "stats.recorded",
        "stats.status",
        "stats.error",
        "stats.analysed_at",
      ],
      "made.track",
    );

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
  { stats, track, error, record }: AnalysedLogs,
  at: Date,
): Promise<boolean> => {
  const saved = await trx("flight_stats")
    .where({ execution_id: executionId, asset_id: assetId })
    .update({
      status: stats ? "ready" : "failed",
      stats: stats ? JSON.stringify(stats) : null,
      error: error ?? null,
      analysed_at: at,
      ...(record && { asset_id: record.id, recorded: true }),
    });
  if (saved !== 1) return false;
  await trx("flight_tracks").where({ execution_id: executionId }).delete();
  if (track)
    await trx("flight_tracks").insert({
      execution_id: executionId,
      analysed_at: at,
      track: JSON.stringify(track),
    });
  return true;
};
