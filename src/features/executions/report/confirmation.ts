import { linkMail } from "../../../platform/link-mail";
import type { Mail } from "../../../platform/mail";

export const CONFIRMATION_DAYS = 7;

/** Asks the owner of an address whether a user's reports may be sent to it. */
export const confirmationMail = (to: string, owner: string, origin: string, token: string): Mail =>
  linkMail(to, {
    subject: "Confirm that you want flight reports",
    lines: [`${owner} wants the reports of their flights to be sent to this address.`],
    action: {
      label: "Confirm",
      link: `${origin.replace(/\/$/, "")}/api/v1/report-emails/confirm/${token}`,
    },
    closing: `The link works for ${CONFIRMATION_DAYS} days. If you do not want reports, ignore this mail: no report is sent.`,
  });

/** Mail filters open the links of a mail. The address is confirmed by the button. */
export const confirmationPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Confirm flight reports</title>
  </head>
  <body style="font-family:system-ui,sans-serif;max-width:480px;margin:32px auto;padding:0 16px">
    <h1 style="font-size:20px">Flight reports</h1>
    <p>Reports of flights are sent to your address once you have confirmed it.</p>
    <form method="post"><button style="padding:12px 20px">Confirm</button></form>
  </body>
</html>
`;
