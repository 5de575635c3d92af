import { enqueue } from "../../platform/jobs/jobs";
import type { Db } from "../../platform/postgres/db";
import { type Asset, type ExecutionHooks, findAsset } from "../assets";
import { invalidateArchive } from "./archive/archives.store";
import { type Execution, lockExecution } from "./executions.store";
import { dispatchReport } from "./report/dispatch";
import { deletePendingStats, findStats, resetStats } from "./stats.store";

/** A changed asset: its execution's log may be analysed, its archive is out of date, and its report may be sent. */
export const executionHooks: ExecutionHooks = {
  lock: lockExecution,

  async assetChanged(trx, asset, now) {
    if (asset.execution_id === null) return;
    const execution = await lockExecution(trx, asset.execution_id);
    if (!execution) return;
    const logId = asset.status === "ready" ? await resetStatsFor(trx, execution, asset) : undefined;
    if (logId !== undefined) await enqueue(trx, analysis(execution, logId));
    await deletePendingStats(trx, execution.id);
    await invalidateArchive(trx, execution.id);
    await dispatchReport(trx, execution.id, now);
  },
};

/**
 * Resets the statistics when they are to be read anew for this log: the one that the drone named, whose statistics replace
 * those of a flight record, or a record while the drone's own log has not come. Returns the id of the log to analyse. It
 * is the drone's own when that could not be read: the record then takes its place.
 */
async function resetStatsFor(
  trx: Db,
  { id, log_asset_id }: Execution,
  asset: Asset,
): Promise<number | undefined> {
  const stats = await findStats(trx, id);
  if (log_asset_id === asset.id) {
    if (stats?.asset_id !== asset.id) await resetStats(trx, id, asset.id);
    return asset.id;
  }
  if (asset.record === null) return undefined;
  const named = log_asset_id === null ? undefined : await findAsset(trx, log_asset_id);
  if (named?.status === "ready" && stats?.status === "failed") {
    await resetStats(trx, id, named.id);
    return named.id;
  }
  if (named?.status === "ready" || (stats?.status === "ready" && !stats.recorded)) return undefined;
  await resetStats(trx, id, asset.id, true);
  return asset.id;
}

export const analysis = ({ id, user_id }: Execution, assetId: number) => ({
  task: "analyse-log",
  payload: { execution_id: id, asset_id: assetId },
  user: user_id,
  key: `analyse-log:${id}`,
});
