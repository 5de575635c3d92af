import { z } from "zod";
import { enqueue, withdraw } from "../../../platform/jobs/jobs";
import type { Task } from "../../../platform/jobs/worker";
import type { Db } from "../../../platform/postgres/db";
import type { Clock } from "../../../platform/process/clock";
import { assetsOfExecution } from "../../assets";
import { type Execution, lockExecution, updateExecution } from "../executions.store";
import { findStats } from "../stats.store";

/** A report goes out this long after the end of an execution, whatever is still missing. */
const DEADLINE_MS = 24 * 3_600_000;
/** What failed is tried again by then, or not at all. Nobody waits a day for a report without statistics. */
const ANOTHER_TRY_MS = 10 * 60_000;

/**
 * What a report still waits for.
 * all:      uploads, the reading of the log, and another try of an upload that failed.
 * arrivals: the time for another try is over.
 * nothing:  its last time has come.
 */
const Patience = z.enum(["all", "arrivals", "nothing"]);
type Patience = z.output<typeof Patience>;

const Payload = z.object({ execution_id: z.int(), patience: Patience.default("nothing") });

const deadlineKey = (executionId: number) => `report-deadline:${executionId}`;

/** In the transaction that ends an execution: its report is due, at the latest when the deadline has come. */
export async function oweReport(trx: Db, { id, completed_at }: Execution): Promise<void> {
  await updateExecution(trx, id, { report: "pending" });
  await dispatchReport(trx, id, completed_at as Date);
}

/**
 * Queue the report of an execution when it is owed and nothing is waited for any more, or a job that looks again
 * when the waiting is over. Whoever settles something that a report may wait for calls it in the same transaction.
 * The execution's row is locked: of two uploads that complete at once the second sees the first, and only one queues.
 */
export async function dispatchReport(
  trx: Db,
  executionId: number,
  now: Date,
  patience: Patience = "all",
): Promise<void> {
  const execution = await lockExecution(trx, executionId);
  if (execution?.report !== "pending") return;
  const missing = patience === "nothing" ? undefined : await whatIsMissing(trx, execution);
  const deadline = (execution.completed_at as Date).getTime() + DEADLINE_MS;
  if (missing === "an arrival") return lookAgain(trx, executionId, deadline, "nothing");
  if (missing === "another try" && patience === "all") {
    const soon = Math.min(now.getTime() + ANOTHER_TRY_MS, deadline);
    return lookAgain(trx, executionId, soon, "arrivals");
  }
  await updateExecution(trx, executionId, { report: "queued" });
  await enqueue(trx, { task: "send-report", payload: { execution_id: executionId } });
  await withdraw(trx, deadlineKey(executionId));
}

async function whatIsMissing(
  trx: Db,
  { id, log_asset_id }: Execution,
): Promise<"an arrival" | "another try" | undefined> {
  const assets = await assetsOfExecution(trx, id);
  if (assets.some(({ status }) => status === "pending")) return "an arrival";
  const log = assets.find((asset) => asset.id === log_asset_id);
  const isUnread = log?.status === "ready" && (await findStats(trx, id))?.status === "pending";
  if (isUnread) return "an arrival";
  return assets.some(({ status }) => status === "failed") ? "another try" : undefined;
}

const lookAgain = (trx: Db, executionId: number, at: number, patience: Patience): Promise<void> =>
  enqueue(trx, {
    task: "report-deadline",
    payload: { execution_id: executionId, patience },
    key: deadlineKey(executionId),
    runAt: new Date(at),
  });

/** The waiting is over: the report goes out with what there is, or waits for less. */
export const reportDeadlineTask =
  ({ db, clock }: { db: Db; clock: Clock }): Task =>
  async (payload) => {
    const { execution_id, patience } = Payload.parse(payload);
    await db.transaction((trx) => dispatchReport(trx, execution_id, clock.now(), patience));
  };
