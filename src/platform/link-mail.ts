import { escapeMarkup } from "./escape-markup";
import type { Mail } from "./mail";

interface LinkMail {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly action: { readonly label: string; readonly link: string };
  readonly closing: string;
}

/** A mail with one link, as text and as HTML. */
export function linkMail(to: string, { subject, lines, action, closing }: LinkMail): Mail {
  const text = [...lines, "", `${action.label}:`, action.link, "", closing, ""].join("\n");
  const html = `<!doctype html>
<html lang="en"><body style="margin:0;background:#f4f5f7;font-family:system-ui,sans-serif;color:#1c2530">
<div style="max-width:480px;margin:32px auto;background:#fff;border-radius:8px;padding:32px">
<h1 style="font-size:20px;margin:0 0 16px">${escapeMarkup(subject)}</h1>
${lines.map((line) => `<p style="line-height:1.5">${escapeMarkup(line)}</p>`).join("\n")}
<p style="margin:24px 0"><a href="${escapeMarkup(action.link)}" style="background:#0b5fff;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none">${escapeMarkup(action.label)}</a></p>
<p style="color:#5b6673;font-size:13px;line-height:1.5">${escapeMarkup(closing)}</p>
</div></body></html>
`;
  return { to, subject, text, html };
}
