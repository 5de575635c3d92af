import { z } from "zod";
import type { Db } from "../../../platform/db";
import type { Task } from "../../../platform/job-worker";
import { enqueue, withdraw } from "../../../platform/jobs";
import { assetsOfExecution } from "../../assets";
import { type Execution, lockExecution, updateExecution } from "../executions.store";
import { findStats } from "../stats.store";

const ExecutionPayload = z.object({ execution_id: z.int() });

/** A report goes out this long after the end of an execution, whatever is still missing. */
export const REPORT_DEADLINE_MS = 24 * 3_600_000;

const deadlineKey = (executionId: number) => `report-deadline:${executionId}`;

/** In the transaction that ends an execution: its report is due, at the latest when the deadline has come. */
export async function oweReport(trx: Db, { id, completed_at }: Execution): Promise<void> {
  await updateExecution(trx, id, { report: "pending" });
  await enqueue(trx, {
    task: "report-deadline",
    payload: { execution_id: id },
    key: deadlineKey(id),
    runAt: new Date((completed_at as Date).getTime() + REPORT_DEADLINE_MS),
  });
  await dispatchReport(trx, id, "when all is here");
}

/**
 * Queue the report of an execution when it is owed and nothing is missing any more. Whoever settles something
 * that a report may wait for calls it in the same transaction. The execution's row is locked: of two uploads
 * that complete at once the second sees the first, and only one queues.
 */
export async function dispatchReport(
  trx: Db,
  executionId: number,
  when: "when all is here" | "now",
): Promise<void> {
  const execution = await lockExecution(trx, executionId);
  if (execution?.report !== "pending") return;
  if (when === "when all is here" && (await isMissingSomething(trx, execution))) return;
  await updateExecution(trx, executionId, { report: "queued" });
  await enqueue(trx, { task: "send-report", payload: { execution_id: executionId } });
  await withdraw(trx, deadlineKey(executionId));
}

async function isMissingSomething(trx: Db, { id, log_asset_id }: Execution): Promise<boolean> {
  const assets = await assetsOfExecution(trx, id);
  if (assets.some(({ status }) => status === "pending")) return true;
  return log_asset_id !== null && (await findStats(trx, id))?.status === "pending";
}

/** The deadline has come: the report goes out with what there is. */
export const reportDeadlineTask =
  (db: Db): Task =>
  async (payload) => {
    const { execution_id } = ExecutionPayload.parse(payload);
    await db.transaction((trx) => dispatchReport(trx, execution_id, "now"));
  };
