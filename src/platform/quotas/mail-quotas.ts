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
  // Mails asked for without an account do not use up what the reports of its own drones need.
  const sent = (cause: "unasked" | "asked"): [RateName, string][] => [
    ["mailbox_mails", `${cause} ${mailbox}`],
    ["all_mails", "all"],
  ];
  switch (mail.kind) {
    // Mails that others send keep nobody from a new password.
    case "reset":
      return [["network_mails", mail.site], asked];
    case "verification":
      return [["network_mails", mail.site], asked, ...sent("unasked")];
    case "report":
      return [["mails", String(mail.userId)], ...sent("asked")];
    default:
      return [["mails", String(mail.userId)], asked, ...sent("asked")];
  }
};

/** Counts every mail in the quotas of those who cause it and of its mailbox. */
export class MailQuotas {
  constructor(private readonly quotas: Pick<Quotas, "take" | "giveBack">) {}

  /**
   * Counts one mail and sends it; one that could not be sent is not counted. Rejects as `send` does, and with
   * `too_many_requests`.
   */
  async counted(mail: CountedMail, send: () => Promise<void>): Promise<void> {
    const taken: [RateName, string][] = [];
    try {
      for (const [name, key] of uses(mail)) {
        await this.quotas.take(name, key);
        taken.push([name, key]);
      }
      await send();
    } catch (error) {
      await Promise.all(taken.map(([name, key]) => this.quotas.giveBack(name, key)));
      throw error;
    }
  }
}
