import { linkMail } from "../../platform/link-mail";
import type { Mail } from "../../platform/mail";

/** Both links open the web client's password page, which distinguishes them by `verify`. */
const passwordPage = (origin: string, token: string) =>
  `${origin.replace(/\/$/, "")}/reset-password?token=${encodeURIComponent(token)}`;

export function verificationMail(to: string, origin: string, token: string): Mail {
  return linkMail(to, {
    subject: "Confirm your email address",
    lines: ["Somebody, hopefully you, wants to fly with this email address."],
    action: { label: "Choose a password", link: `${passwordPage(origin, token)}&verify=true` },
    closing: "The link works for one hour. If this was not you, ignore this mail: nothing has been created.",
  });
}

export function resetMail(to: string, origin: string, token: string): Mail {
  return linkMail(to, {
    subject: "Set a new password",
    lines: ["Somebody, hopefully you, asked to set a new password for this account."],
    action: { label: "Set a new password", link: passwordPage(origin, token) },
    closing: "The link works for ten minutes. If this was not you, ignore this mail: nothing has changed.",
  });
}
