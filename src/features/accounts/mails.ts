import type { Mail } from "../../platform/mail";

/** Both links open the web client's password page, which distinguishes them by `verify`. */
const passwordPage = (origin: string, token: string) =>
  `${origin.replace(/\/$/, "")}/reset-password?token=${encodeURIComponent(token)}`;

export function verificationMail(to: string, origin: string, token: string): Mail {
  return letter(to, {
    subject: "Confirm your email address",
    lines: ["Somebody, hopefully you, wants to fly with this email address."],
    action: { label: "Choose a password", link: `${passwordPage(origin, token)}&verify=true` },
    closing: "The link works for one hour. If this was not you, ignore this mail: nothing has been created.",
  });
}

export function resetMail(to: string, origin: string, token: string): Mail {
  return letter(to, {
    subject: "Set a new password",
    lines: ["Somebody, hopefully you, asked to set a new password for this account."],
    action: { label: "Set a new password", link: passwordPage(origin, token) },
    closing: "The link works for ten minutes. If this was not you, ignore this mail: nothing has changed.",
  });
}

interface Letter {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly action: { readonly label: string; readonly link: string };
  readonly closing: string;
}

function letter(to: string, { subject, lines, action, closing }: Letter): Mail {
  const text = [...lines, "", `${action.label}:`, action.link, "", closing, ""].join("\n");
  const html = `<!doctype html>
<html lang="en"><body style="margin:0;background:#f4f5f7;font-family:system-ui,sans-serif;color:#1c2530">
<div style="max-width:480px;margin:32px auto;background:#fff;border-radius:8px;padding:32px">
<h1 style="font-size:20px;margin:0 0 16px">${escapeHtml(subject)}</h1>
${lines.map((line) => `<p style="line-height:1.5">${escapeHtml(line)}</p>`).join("\n")}
<p style="margin:24px 0"><a href="${escapeHtml(action.link)}" style="background:#0b5fff;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="color:#5b6673;font-size:13px;line-height:1.5">${escapeHtml(closing)}</p>
</div></body></html>
`;
  return { to, subject, text, html };
}

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
