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
    if (asset.status === "ready" && (await givesStats(trx, execution, asset)))
      await enqueue(trx, analysis(execution, asset.id));
    await deletePendingStats(trx, execution.id);
    await invalidateArchive(trx, execution.id);
    await dispatchReport(trx, execution.id, now);
  },
};

/**
 * Whether the statistics are to be of this log: the one that the drone named, whose statistics replace those of a flight
 * record, or a record while the drone's own log has not come.
 */
async function givesStats(trx: Db, { id, log_asset_id }: Execution, asset: Asset): Promise<boolean> {
  const stats = await findStats(trx, id);
  if (log_asset_id === asset.id) {
    if (stats?.asset_id !== asset.id) await resetStats(trx, id, asset.id);
    return true;
  }
  if (asset.record === null) return false;
  const named = log_asset_id === null ? undefined : await findAsset(trx, log_asset_id);
  if (named?.status === "ready" || (stats?.status === "ready" && !stats.recorded)) return false;
  await resetStats(trx, id, asset.id, true);
  return true;
}

export const analysis = ({ id, user_id }: Execution, assetId: number) => ({
  task: "analyse-log",
  payload: { execution_id: id, asset_id: assetId },
  user: user_id,
  key: `analyse-log:${id}`,
});
