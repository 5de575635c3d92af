import { randomBytes } from "node:crypto";
import { z } from "zod";
import { DomainError } from "../../../domain/errors";
import { mailFailure } from "../../../platform/mail";
import type { Execution } from "../executions.store";
import { CONFIRMATION_DAYS, confirmationMail } from "./confirmation";
import {
  addressesWithLink,
  confirmAddress,
  type Recipients,
  recipientsOf,
  saveConfirmationLink,
  setExtraEmails,
  splitEmails,
} from "./recipients.store";
import { type ReportDeps, renderReport } from "./render";

const MAX_RECIPIENTS = 20;
const Email = z.email().max(254);

/** Reports of executions and their recipients. */
export class ReportsService {
  constructor(private readonly deps: ReportDeps) {}

  async recipients(userId: number): Promise<Recipients> {
    const found = await recipientsOf(this.deps.db, userId);
    if (!found) throw new DomainError("not_found", "This user does not exist any more.");
    return found;
  }

  /**
   * `text` is comma separated. New addresses are sent a link to confirm themselves. Rejects with `invalid_input` and each
   * invalid address, or, when the list is stored and a link could not be sent, with the reason.
   */
  async setExtraEmails(userId: number, text: string): Promise<Recipients> {
    const emails = splitEmails(text);
    const bad = emails.filter((email) => !Email.safeParse(email).success);
    if (bad.length > 0) {
      const named = bad.map((email) => JSON.stringify(email.slice(0, 100))).join(", ");
      throw new DomainError("invalid_input", `Not an email address: ${named}.`);
    }
    if (emails.length > MAX_RECIPIENTS)
      throw new DomainError("invalid_input", `At most ${MAX_RECIPIENTS} addresses are possible.`);
    const { db, clock } = this.deps;
    await setExtraEmails(db, userId, emails);
    const recipients = await this.recipients(userId);
    const asked = await addressesWithLink(db, userId, clock.now());
    for (const email of recipients.unconfirmed_emails)
      if (!asked.includes(email)) await this.askToConfirm(userId, recipients.email, email);
    return recipients;
  }

  /** Rejects with `unauthenticated` when the link was used or has expired. */
  async confirm(token: string): Promise<string> {
    const isToken = /^[\w-]+$/.test(token);
    const email = isToken && (await confirmAddress(this.deps.db, token, this.deps.clock.now()));
    if (email) return email;
    throw new DomainError("unauthenticated", "This link was used already or has expired.");
  }

  /** Sends the report to one address now. Rejects with `unavailable` when the mail server does not accept it. */
  async sendTo(execution: Execution, email: string): Promise<void> {
    const { mailQuotas, mailer } = this.deps;
    const mail = { to: email, kind: "requested report", userId: execution.user_id } as const;
    await mailQuotas.counted(mail, async () => {
      const report = await renderReport(this.deps, execution);
      await mailer.send({ to: email, ...report }, "reports").catch((error) => {
        throw mailFailure(error);
      });
    });
  }

  private async askToConfirm(userId: number, owner: string, email: string): Promise<void> {
    const { db, clock, origin, mailQuotas, mailer } = this.deps;
    const token = randomBytes(24).toString("base64url");
    try {
      await mailQuotas.counted({ to: email, kind: "confirmation", userId }, () =>
        mailer.send(confirmationMail(email, owner, origin, token), "verifications"),
      );
    } catch (error) {
      const { code, message, retryAfterSeconds } = mailFailure(error);
      const stored = "The addresses are stored. Send them again later to mail the links that are missing.";
      throw new DomainError(code, `${message} ${stored}`, { cause: error, retryAfterSeconds });
    }
    const expires_at = new Date(clock.now().getTime() + CONFIRMATION_DAYS * 86_400_000);
    await saveConfirmationLink(db, { user_id: userId, email, token, expires_at });
  }
}
