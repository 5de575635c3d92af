import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Every http(s) address of the mail once, in order of appearance. */
  readonly links: readonly string[];
}

interface MailOptions {
  readonly onMail?: (mail: ReceivedMail) => void;
  /** How long it takes to accept a mail; 0 when absent. */
  readonly delayMs?: number;
}

export interface MailSink {
  readonly url: string;
  readonly port: number;
  /** Oldest first, without end: a sink lives as long as a laptop stack or a test. */
  readonly mails: readonly ReceivedMail[];
  stop(): Promise<void>;
}

/** An SMTP server on 127.0.0.1 that takes every mail and delivers none. */
export async function startMail(options: MailOptions = {}): Promise<MailSink> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        parseMail(Buffer.concat(chunks), to)
          .then((mail) => {
            mails.push(mail);
            options.onMail?.(mail);
          })
          .then(() => setTimeout(callback, options.delayMs ?? 0), callback);
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A client that drops its connection is no fault of the sink.
  server.removeAllListeners("error").on("error", () => undefined);
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function parseMail(raw: Buffer, to: readonly string[]): Promise<ReceivedMail> {
  const { messageId = "", subject = "", text = "", html = "" } = await PostalMime.parse(raw);
  return { to, messageId, subject, text, html, links: linksOf(text, html) };
}

function linksOf(text: string, html: string): string[] {
  const inHtml = [...html.matchAll(/href="(https?:[^"]+)"/g)].map((match) =>
    (match[1] as string).replaceAll("&amp;", "&"),
  );
  const inText = text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [];
  return [...new Set([...inText, ...inHtml])];
}
