import { createTransport } from "nodemailer";
import { DomainError } from "../domain/errors";
import { Semaphore } from "./semaphore";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Pictures that the HTML shows as `cid:<id>`; the file name's extension says their type. */
  readonly inline?: readonly { readonly id: string; readonly fileName: string; readonly content: Buffer }[];
  /** The same for every attempt at the same mail, so that a mail server can detect a second copy; random when absent. */
  readonly messageId?: string;
}

/**
 * resets:        links for a new password.
 * verifications: links to addresses that have yet to confirm themselves.
 * reports:       of flights; those of background jobs wait as jobs.
 */
type MailQueue = "resets" | "verifications" | "reports";

export interface Mailer {
  /**
   * Resolves when the mail server has taken the mail. A mail waits for earlier ones of its own queue only. Rejects with
   * `too_many_requests` while too many wait, and with the server's error.
   */
  send(mail: Mail, queue: MailQueue): Promise<void>;
  close(): void;
}

const RETRY_AFTER_SECONDS = 60;

/** SMTP, pooled. `url` as nodemailer reads it: smtp:// or smtps://, with user and password when needed. */
export function openMailer(url: string, from: string): Mailer {
  const queues = {
    resets: openQueue({ url, from, connections: 2, maxWaiting: 50 }),
    verifications: openQueue({ url, from, connections: 1, maxWaiting: 50 }),
    // Each holds its pictures in memory.
    reports: openQueue({ url, from, connections: 1, maxWaiting: 20 }),
  };
  return {
    send: (mail, queue) => queues[queue].send(mail),
    close() {
      for (const { close } of Object.values(queues)) close();
    },
  };
}

interface MailQueueOptions {
  readonly url: string;
  readonly from: string;
  readonly connections: number;
  readonly maxWaiting: number;
}

function openQueue({ url, from, connections, maxWaiting }: MailQueueOptions) {
  const permits = new Semaphore(connections);
  const transport = createTransport(
    {
      url,
      pool: true,
      maxConnections: connections,
      connectionTimeout: 5_000,
      greetingTimeout: 5_000,
      socketTimeout: 15_000,
    },
    { from },
  );
  return {
    async send({ inline = [], ...mail }: Mail): Promise<void> {
      if (permits.waiting >= maxWaiting) {
        const message = "Too many mails wait to be sent; try again in a minute.";
        throw new DomainError("too_many_requests", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      const attachments = inline.map(({ id, fileName, content }) => ({
        cid: id,
        filename: fileName,
        content,
        contentDisposition: "inline" as const,
      }));
      await permits.run(() => transport.sendMail({ ...mail, attachments }));
    },
    close: () => transport.close(),
  };
}

/** What a caller is told when a mail was not sent. */
export const mailFailure = (error: unknown): DomainError =>
  error instanceof DomainError
    ? error
    : new DomainError("unavailable", "The mail could not be sent; try again later.", { cause: error });
