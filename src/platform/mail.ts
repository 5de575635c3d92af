import { createTransport } from "nodemailer";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Pictures that the HTML shows as `cid:<id>`. */
  readonly inline?: readonly { readonly id: string; readonly fileName: string; readonly png: Buffer }[];
  /** The same for every attempt at the same mail, so that a mail server can detect a second copy; random when absent. */
  readonly messageId?: string;
}

export interface Mailer {
  /** Resolves when the mail server has taken the mail; rejects when it did not. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** SMTP, pooled. `url` as nodemailer reads it: smtp:// or smtps://, with user and password when needed. */
export function openMailer(url: string, from: string): Mailer {
  const transport = createTransport(
    {
      url,
      pool: true,
      maxConnections: 2,
      connectionTimeout: 5_000,
      greetingTimeout: 5_000,
      socketTimeout: 15_000,
    },
    { from },
  );
  return {
    send: async ({ inline = [], ...mail }) => {
      await transport.sendMail({
        ...mail,
        attachments: inline.map(({ id, fileName, png }) => ({
          cid: id,
          filename: fileName,
          content: png,
          contentType: "image/png",
          contentDisposition: "inline" as const,
        })),
      });
    },
    close: () => transport.close(),
  };
}
