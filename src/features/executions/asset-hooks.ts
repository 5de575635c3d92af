import { enqueue } from "../../platform/jobs/jobs";
import type { ExecutionHooks } from "../assets";
import { invalidateArchive } from "./archive/archives.store";
import { type Execution, lockExecution } from "./executions.store";
import { dispatchReport } from "./report/dispatch";
import { deletePendingStats } from "./stats.store";

/** A changed asset: its execution's log may be analysed, its archive is out of date, and its report may be sent. */
export const executionHooks: ExecutionHooks = {
  lock: lockExecution,

  async assetChanged(trx, asset, now) {
    if (asset.execution_id === null) return;
    const execution = await lockExecution(trx, asset.execution_id);
    if (!execution) return;
    if (asset.status === "ready" && execution.log_asset_id === asset.id)
      await enqueue(trx, analysis(execution, asset.id));
    await deletePendingStats(trx, execution.id);
    await invalidateArchive(trx, execution.id);
    await dispatchReport(trx, execution.id, now);
  },
};

export const analysis = ({ id, user_id }: Execution, assetId: number) => ({
  task: "analyse-log",
  payload: { execution_id: id, asset_id: assetId },
  user: user_id,
  key: `analyse-log:${id}`,
});
