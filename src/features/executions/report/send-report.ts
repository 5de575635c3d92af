import { z } from "zod";
import { DomainError } from "../../../domain/errors";
import { enqueue } from "../../../platform/jobs/jobs";
import type { Task } from "../../../platform/jobs/worker";
import { retryWhileUnavailable } from "../../../platform/postgres/retry";
import { type Execution, findExecution, updateExecution } from "../executions.store";
import { mailedRecipients, recipientsOf, recordMail } from "./recipients.store";
import { type RenderedReport, type ReportDeps, renderReport } from "./render";

/** Wait so long for the database, to record a mail that was sent. */
const RECORD_LIMIT_MS = 300_000;
/** A report waits this long after the flight for the quotas of its mails. */
const QUOTA_WAIT_MS = 7 * 86_400_000;

const Payload = z.object({ execution_id: z.int() });

/**
 * Sends the report to its owner and the confirmed recipients. Each recipient is recorded after the mail was sent, so that a retry sends only the
 * missing mails. A process that dies between the mail and the record sends that mail again, with the same message id.
 * Mails that a quota refuses are sent when its window is over.
 */
export const sendReportTask =
  (deps: ReportDeps): Task =>
  async (payload, signal) => {
    const { execution_id } = Payload.parse(payload);
    const { db, clock } = deps;
    const execution = await findExecution(db, execution_id);
    const recipients = execution && (await recipientsOf(db, execution.user_id));
    if (!recipients || execution.report !== "queued") return;
    const sent = new Set(await mailedRecipients(db, execution_id));
    const waiting = recipients.all_recipients.filter(
      (email) => !sent.has(email) && !recipients.unconfirmed_emails.includes(email),
    );
    const { failures, refusals } = await sendAll(deps, execution, waiting, signal);
    if (failures.length > 0) throw new AggregateError(failures, messageOf(failures));
    if (refusals.length > 0) return waitForQuota(deps, execution, refusals);
    await updateExecution(db, execution_id, {
      report: "sent",
      report_reason: null,
      report_sent_at: clock.now(),
    });
  };

interface Unsent {
  readonly failures: readonly Error[];
  /** By a quota, or because too many mails wait. */
  readonly refusals: readonly DomainError[];
}

/** A recipient that the mail server or a quota refuses does not keep the others from getting the report. */
async function sendAll(
  deps: ReportDeps,
  execution: Execution,
  emails: readonly string[],
  signal: AbortSignal,
): Promise<Unsent> {
  const failures: Error[] = [];
  const refusals: DomainError[] = [];
  let rendered: Promise<RenderedReport> | undefined;
  const report = () => {
    rendered ??= renderReport(deps, execution);
    return rendered;
  };
  for (const to of emails) {
    try {
      await sendCounted(deps, execution, to, report);
      // A failure here would repeat the whole job and send the mail a second time.
      await retryWhileUnavailable(() => recordMail(deps.db, execution.id, to), {
        limitMs: RECORD_LIMIT_MS,
        signal,
      });
    } catch (error) {
      if (error instanceof DomainError && error.code === "too_many_requests") refusals.push(error);
      else failures.push(new Error(`${to}: ${(error as Error).message}`, { cause: error }));
    }
  }
  return { failures, refusals };
}

/** The report is not drawn for a mail that a quota refuses. A mail that was not sent does not count. */
async function sendCounted(
  { mailQuotas, mailer, origin }: ReportDeps,
  { id, user_id }: Execution,
  to: string,
  report: () => Promise<RenderedReport>,
): Promise<void> {
  await mailQuotas.counted({ to, kind: "report", userId: user_id }, async () => {
    const host = new URL(origin).hostname;
    const name = Buffer.from(to).toString("base64url").slice(0, 60);
    const messageId = `<report-${id}-${name}@${host}>`;
    await mailer.send({ to, ...(await report()), messageId }, "reports");
  });
}

/** The report waits for the first window that ends. If that one frees too little, the report is refused again. */
async function waitForQuota(
  { db, clock }: ReportDeps,
  { id, user_id, completed_at }: Execution,
  refusals: readonly DomainError[],
): Promise<void> {
  const seconds = Math.min(...refusals.map(({ retryAfterSeconds = 60 }) => retryAfterSeconds));
  const again = new Date(clock.now().getTime() + seconds * 1000);
  const isTooLate = again.getTime() > (completed_at?.getTime() ?? 0) + QUOTA_WAIT_MS;
  const report_reason = `${refusals.length} mails are not sent. ${refusals[0]?.message}`;
  await db.transaction(async (trx) => {
    await updateExecution(trx, id, { report: isTooLate ? "refused" : "queued", report_reason });
    if (isTooLate) return;
    const job = { task: "send-report", payload: { execution_id: id }, user: user_id };
    await enqueue(trx, { ...job, key: `report-quota:${id}`, runAt: again });
  });
}

const messageOf = (failures: readonly Error[]): string =>
  `The report did not reach ${failures.map(({ message }) => message).join("; ")}`;
