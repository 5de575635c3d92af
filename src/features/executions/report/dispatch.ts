import { z } from "zod";
import { cancelJob, enqueue } from "../../../platform/jobs/jobs";
import type { Task } from "../../../platform/jobs/worker";
import type { Db } from "../../../platform/postgres/db";
import type { Services } from "../../../platform/services";
import { countByStatus, findAsset } from "../../assets";
import { type Execution, lockExecution, updateExecution } from "../executions.store";
import { findStats } from "../stats.store";

/** A report is sent this long after the end of an execution, whatever is still missing. */
const DEADLINE_MS = 24 * 3_600_000;
/** Time for the retry of a failed upload. A report without statistics is not delayed for a day. */
const RETRY_MS = 10 * 60_000;

/**
 * What a report still waits for.
 * all:     uploads, the analysis of the log, and the retry of a failed upload.
 * uploads: the time for a retry is over.
 * nothing: the deadline has passed.
 */
const WaitFor = z.enum(["all", "uploads", "nothing"]);
type WaitFor = z.output<typeof WaitFor>;

const Payload = z.object({ execution_id: z.int(), wait_for: WaitFor.default("nothing") });

const deadlineKey = (executionId: number) => `report-deadline:${executionId}`;

/** Call it in the transaction that ends an execution: its report is pending from then on. */
export async function requestReport(trx: Db, { id, completed_at }: Execution): Promise<void> {
  await updateExecution(trx, id, { report: "pending" });
  await dispatchReport(trx, id, completed_at as Date);
}

/**
 * Queues the pending report of an execution when nothing is missing, or else a job that checks again later. Call it in
 * each transaction that changes what a report may wait for. It locks the execution's row: of two uploads that complete
 * at the same time the second sees the first, and only one queues the report.
 */
export async function dispatchReport(
  trx: Db,
  executionId: number,
  now: Date,
  waitFor: WaitFor = "all",
): Promise<void> {
  const execution = await lockExecution(trx, executionId);
  if (execution?.report !== "pending") return;
  const missing = waitFor === "nothing" ? undefined : await missingInput(trx, execution);
  const deadline = (execution.completed_at as Date).getTime() + DEADLINE_MS;
  if (missing === "upload") return checkLater(trx, execution, deadline, "nothing");
  if (missing === "retry" && waitFor === "all") {
    const soon = Math.min(now.getTime() + RETRY_MS, deadline);
    return checkLater(trx, execution, soon, "uploads");
  }
  await updateExecution(trx, executionId, { report: "queued" });
  await enqueue(trx, {
    task: "send-report",
    payload: { execution_id: executionId },
    user: execution.user_id,
  });
  await cancelJob(trx, deadlineKey(executionId));
}

async function missingInput(
  trx: Db,
  { id, log_asset_id }: Execution,
): Promise<"upload" | "retry" | undefined> {
  const { pending, failed } = await countByStatus(trx, id);
  if (pending > 0) return "upload";
  const log = log_asset_id === null ? undefined : await findAsset(trx, log_asset_id);
  const stats = await findStats(trx, id);
  const isUnread = stats?.status === "pending" && (stats.recorded || log?.status === "ready");
  if (isUnread) return "upload";
  return failed > 0 ? "retry" : undefined;
}

const checkLater = (trx: Db, { id, user_id }: Execution, at: number, waitFor: WaitFor): Promise<void> =>
  enqueue(trx, {
    task: "report-deadline",
    payload: { execution_id: id, wait_for: waitFor },
    user: user_id,
    key: deadlineKey(id),
    runAt: new Date(at),
  });

/** Sends the report with what there is, or waits for less. */
export const reportDeadlineTask =
  ({ db, clock }: Pick<Services, "db" | "clock">): Task =>
  async (payload) => {
    const { execution_id, wait_for } = Payload.parse(payload);
    await db.transaction((trx) => dispatchReport(trx, execution_id, clock.now(), wait_for));
  };
