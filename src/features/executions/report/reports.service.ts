import { z } from "zod";
import { DomainError } from "../../../domain/errors";
import { type Mailer, mailFailure } from "../../../platform/mail";
import type { ObjectStore } from "../../../platform/objects/object-store";
import type { Db } from "../../../platform/postgres/db";
import type { MailQuotas } from "../../../platform/quotas/mail-quotas";
import type { Execution } from "../executions.store";
import { type Recipients, recipientsOf, setExtraEmails, splitEmails } from "./recipients.store";
import { renderReport } from "./render";

interface ReportsDeps {
  readonly db: Db;
  readonly store: ObjectStore;
  readonly mailQuotas: Pick<MailQuotas, "take">;
  readonly mailer: Mailer;
  /** Of the web client; links begin with it. */
  readonly origin: string;
}

const MAX_RECIPIENTS = 20;
const Email = z.email().max(254);

/** Reports of executions and their recipients. */
export class ReportsService {
  constructor(private readonly deps: ReportsDeps) {}

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
    const { mailQuotas, mailer } = this.deps;
    await mailQuotas.take({ to: email, kind: "requested report", userId: execution.user_id });
    const report = await renderReport(this.deps, execution);
    await mailer.send({ to: email, ...report }, "reports").catch((error) => {
      throw mailFailure(error);
    });
  }
}
