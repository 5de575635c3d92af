import type { z } from "zod";
import type { Db } from "../../../platform/postgres/db";
import type { ReportEmails } from "../executions.schema";

/** `all_recipients` are without duplicates, the owner first. */
export type Recipients = z.output<typeof ReportEmails>;

/** Undefined when the user does not exist. */
export async function recipientsOf(db: Db, userId: number): Promise<Recipients | undefined> {
  const row = await db("users").where({ id: userId }).first("username", "extra_emails");
  if (!row) return undefined;
  const extra = splitEmails(row.extra_emails ?? "");
  const others = extra.filter((email) => email !== row.username.toLowerCase());
  const confirmed = await db("report_addresses")
    .where({ user_id: userId })
    .whereNotNull("confirmed_at")
    .pluck("email");
  return {
    email: row.username,
    extra_emails: extra.join(","),
    all_recipients: [row.username, ...others],
    unconfirmed_emails: others.filter((email) => !confirmed.includes(email)),
  };
}

/** An address that is not in the list any more loses its confirmation. */
export const setExtraEmails = (db: Db, userId: number, emails: readonly string[]): Promise<void> =>
  db.transaction(async (trx) => {
    await trx("users")
      .where({ id: userId })
      .update({ extra_emails: emails.join(","), updated_at: trx.fn.now() });
    await trx("report_addresses").where({ user_id: userId }).whereNotIn("email", emails).delete();
  });

/** Of a user's addresses, those that were sent a link which still works. */
export const addressesWithLink = async (db: Db, userId: number, now: Date): Promise<string[]> =>
  db("report_addresses").where({ user_id: userId }).where("expires_at", ">", now).pluck("email");

interface ConfirmationLink {
  readonly user_id: number;
  readonly email: string;
  readonly token: string;
  readonly expires_at: Date;
}

/** In place of an earlier link. A confirmed address stays so. */
export const saveConfirmationLink = async (db: Db, link: ConfirmationLink): Promise<void> => {
  await db("report_addresses").insert(link).onConflict(["user_id", "email"]).merge(["token", "expires_at"]);
};

/** Confirms the address of a link, once. Returns it, or undefined when the link was used or has expired. */
export const confirmAddress = async (db: Db, token: string, now: Date): Promise<string | undefined> =>
  (
    await db("report_addresses")
      .where({ token })
      .where("expires_at", ">", now)
      .update({ confirmed_at: now, token: null, expires_at: null })
      .returning("email")
  )[0]?.email;

/** `a@b.c, D@e.f,` → `["a@b.c", "d@e.f"]`, without duplicates. */
export const splitEmails = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((email) => email.trim().toLowerCase())
      .filter(Boolean),
  ),
];

/** The recipients to whom this report was sent. */
export const mailedRecipients = async (db: Db, executionId: number): Promise<string[]> =>
  db("report_mails").where({ execution_id: executionId }).pluck("recipient");

export const recordMail = async (db: Db, executionId: number, recipient: string): Promise<void> => {
  await db("report_mails")
    .insert({ execution_id: executionId, recipient })
    .onConflict(["execution_id", "recipient"])
    .ignore();
};
