import { enqueue } from "../../platform/jobs";
import type { ExecutionsOfAssets } from "../assets";
import { outdateArchive } from "./archive/archives.store";
import { findExecution, lockExecution } from "./executions.store";
import { dispatchReport } from "./report/dispatch";

/** What an asset's fate means for its execution: its log can be read, its archive is out of date, its report may go. */
export const executionsOfAssets: ExecutionsOfAssets = {
  droneOf: async (db, executionId) => (await findExecution(db, executionId))?.drone_id,

  hold: lockExecution,

  async settled(trx, asset) {
    if (asset.execution_id === null) return;
    const execution = await lockExecution(trx, asset.execution_id);
    if (!execution) return;
    if (asset.status === "ready" && execution.log_asset_id === asset.id)
      await enqueue(trx, analysis(execution.id, asset.id));
    await outdateArchive(trx, execution.id);
    await dispatchReport(trx, execution.id, "when all is here");
  },
};

export const analysis = (executionId: number, assetId: number) => ({
  task: "analyse-log",
  payload: { execution_id: executionId, asset_id: assetId },
  key: `analyse-log:${executionId}`,
});
