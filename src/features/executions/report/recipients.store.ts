import type { Db } from "../../../platform/postgres/db";

export interface Recipients {
  /** The owner's. */
  readonly email: string;
  /** Comma separated, as they were given. */
  readonly extra_emails: string;
  /** Without duplicates, the owner first. */
  readonly all_recipients: readonly string[];
}

/** Undefined when the user does not exist. */
export async function recipientsOf(db: Db, userId: number): Promise<Recipients | undefined> {
  const row = await db("users").where({ id: userId }).first("username", "extra_emails");
  if (!row) return undefined;
  const extra = splitEmails(row.extra_emails ?? "");
  return {
    email: row.username,
    extra_emails: extra.join(","),
    all_recipients: [row.username, ...extra.filter((email) => email !== row.username.toLowerCase())],
  };
}

export const setExtraEmails = async (db: Db, userId: number, emails: readonly string[]): Promise<void> => {
  await db("users")
    .where({ id: userId })
    .update({ extra_emails: emails.join(","), updated_at: db.fn.now() });
};

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
