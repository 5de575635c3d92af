import { enqueue } from "../../platform/jobs/jobs";
import type { ExecutionsOfAssets } from "../assets";
import { outdateArchive } from "./archive/archives.store";
import { lockExecution } from "./executions.store";
import { dispatchReport } from "./report/dispatch";
import { forgetUnread } from "./stats.store";

/** What an asset's fate means for its execution: its log can be read, its archive is out of date, its report may go. */
export const executionsOfAssets: ExecutionsOfAssets = {
  hold: lockExecution,

  async settled(trx, asset, now) {
    if (asset.execution_id === null) return;
    const execution = await lockExecution(trx, asset.execution_id);
    if (!execution) return;
    if (asset.status === "ready" && execution.log_asset_id === asset.id)
      await enqueue(trx, analysis(execution.id, asset.id));
    await forgetUnread(trx, execution.id);
    await outdateArchive(trx, execution.id);
    await dispatchReport(trx, execution.id, now);
  },
};

export const analysis = (executionId: number, assetId: number) => ({
  task: "analyse-log",
  payload: { execution_id: executionId, asset_id: assetId },
  key: `analyse-log:${executionId}`,
});
