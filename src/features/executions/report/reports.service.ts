import { z } from "zod";
import { DomainError } from "../../../domain/errors";
import type { Task } from "../../../platform/jobs/worker";
import type { Mailer } from "../../../platform/mail";
import type { ObjectStore } from "../../../platform/objects/object-store";
import type { Db } from "../../../platform/postgres/db";
import { retryWhileUnavailable } from "../../../platform/postgres/retry";
import type { Clock } from "../../../platform/process/clock";
import type { RateLimit } from "../../../platform/redis/rate-limit";
import { type Execution, findExecution, updateExecution } from "../executions.store";
import {
  mailedRecipients,
  type Recipients,
  recipientsOf,
  recordMail,
  setExtraEmails,
  splitEmails,
} from "./recipients.store";
import { type RenderedReport, renderReport } from "./render";

interface ReportsDeps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
  /** Origin of the web client; part of message ids. */
  readonly origin: string;
}

const MAX_RECIPIENTS = 20;
const Email = z.email().max(254);

/** Reports of executions and their recipients. */
export class ReportsService {
  constructor(
    private readonly deps: ReportsDeps,
    private readonly mails: RateLimit,
  ) {}

  async recipients(userId: number): Promise<Recipients> {
    const found = await recipientsOf(this.deps.db, userId);
    if (!found) throw new DomainError("not_found", "This user no longer exists.");
    return found;
  }

  /** `text` is comma separated. Rejects with `invalid_input` and each invalid address. */
  async setExtraEmails(userId: number, text: string): Promise<Recipients> {
    const emails = splitEmails(text);
    const bad = emails.filter((email) => !Email.safeParse(email).success);
    if (bad.length > 0) {
      const named = bad.map((email) => JSON.stringify(email.slice(0, 100))).join(", ");
      throw new DomainError("invalid_input", `Not an email address: ${named}.`);
    }
    if (emails.length > MAX_RECIPIENTS)
      throw new DomainError("invalid_input", `At most ${MAX_RECIPIENTS} addresses are possible.`);
    await setExtraEmails(this.deps.db, userId, emails);
    return this.recipients(userId);
  }

  /** Sends the report to one address now. Rejects with `unavailable` when the mail server does not accept it. */
  async sendTo(execution: Execution, email: string): Promise<void> {
    await this.mails.take(email.toLowerCase());
    const report = await renderReport(this.deps, execution);
    try {
      await this.deps.mailer.send({ to: email, ...report });
    } catch (error) {
      throw new DomainError("unavailable", "The mail could not be sent; try again later.", { cause: error });
    }
  }
}

/** Wait so long for the database, to record a mail that was sent. */
const RECORD_LIMIT_MS = 300_000;

const Payload = z.object({ execution_id: z.int() });

/**
 * Sends the report to all recipients. Each recipient is recorded after the mail was sent, so that a retry sends only the
 * missing mails. A process that dies between the mail and the record sends that mail again, with the same message id.
 */
export const sendReportTask =
  (deps: ReportsDeps): Task =>
  async (payload, signal) => {
    const { execution_id } = Payload.parse(payload);
    const { db, clock } = deps;
    const execution = await findExecution(db, execution_id);
    const recipients = execution && (await recipientsOf(db, execution.user_id));
    if (!recipients || execution.report !== "queued") return;
    const sent = new Set(await mailedRecipients(db, execution_id));
    const waiting = recipients.all_recipients.filter((email) => !sent.has(email));
    const report = waiting.length > 0 ? await renderReport(deps, execution) : undefined;
    const failures = report ? await sendAll(deps, execution_id, waiting, report, signal) : [];
    if (failures.length > 0) throw new AggregateError(failures, messageOf(failures));
    await updateExecution(db, execution_id, { report: "sent", report_sent_at: clock.now() });
  };

/** A recipient that the mail server refuses does not keep the others from getting the report. */
async function sendAll(
  { db, mailer, origin }: ReportsDeps,
  executionId: number,
  emails: readonly string[],
  report: RenderedReport,
  signal: AbortSignal,
): Promise<Error[]> {
  const failures: Error[] = [];
  for (const to of emails) {
    try {
      const host = new URL(origin).hostname;
      const name = Buffer.from(to).toString("base64url").slice(0, 60);
      await mailer.send({ to, ...report, messageId: `<report-${executionId}-${name}@${host}>` });
      // A failure here would repeat the whole job and send the mail a second time.
      await retryWhileUnavailable(() => recordMail(db, executionId, to), {
        limitMs: RECORD_LIMIT_MS,
        signal,
      });
    } catch (error) {
      failures.push(new Error(`${to}: ${(error as Error).message}`, { cause: error }));
    }
  }
  return failures;
}

const messageOf = (failures: readonly Error[]): string =>
  `The report did not reach ${failures.map(({ message }) => message).join("; ")}`;
