import type { Quotas } from "./quotas";
import type { RateName } from "./table";

/** A mail that is about to be sent, and who causes it. */
export type CountedMail = { readonly to: string } & (
  | {
      /** For a new password, or to begin a registration: asked for without an account. */
      readonly kind: "reset" | "verification";
      /** See `siteOf`. */
      readonly site: string;
    }
  | {
      /** To an extra recipient of reports, who is asked to confirm; a report that a user sends to an address. */
      readonly kind: "confirmation" | "requested report";
      readonly userId: number;
    }
  | {
      /** The report of a flight, to all recipients. */
      readonly kind: "report";
      readonly userId: number;
    }
);

/** The mailbox of an address, in lower case: `A+tag@d` and `a@d` are one. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at);
  return `${/^[^+]+/.exec(local)?.[0] ?? local}${address.slice(at)}`.toLowerCase();
}

const uses = (mail: CountedMail): [RateName, string][] => {
  const mailbox = mailboxOf(mail.to);
  const asked: [RateName, string] = ["requested_mails", `${mail.kind} ${mailbox}`];
  const sent: [RateName, string][] = [
    ["mailbox_mails", mailbox],
    ["all_mails", "all"],
  ];
  switch (mail.kind) {
    // Only its own mailbox's owner gets it, a few times an hour. What others send keeps nobody from a new password.
    case "reset":
      return [["network_mails", mail.site], asked];
    case "verification":
      return [["network_mails", mail.site], asked, ...sent];
    case "report":
      return [["mails", String(mail.userId)], ...sent];
    default:
      return [["mails", String(mail.userId)], asked, ...sent];
  }
};

/** Counts every mail in the quotas of those who cause it and of its mailbox. */
export class MailQuotas {
  constructor(private readonly quotas: Pick<Quotas, "take" | "giveBack">) {}

  /**
   * Counts one mail. Rejects with `too_many_requests`, and has then counted nothing. Returns the function that takes the
   * count back.
   */
  async take(mail: CountedMail): Promise<() => Promise<void>> {
    const taken: [RateName, string][] = [];
    const giveBack = async () => {
      await Promise.all(taken.map(([name, key]) => this.quotas.giveBack(name, key)));
    };
    for (const [name, key] of uses(mail)) {
      try {
        await this.quotas.take(name, key);
      } catch (error) {
        await giveBack();
        throw error;
      }
      taken.push([name, key]);
    }
    return giveBack;
  }
}
