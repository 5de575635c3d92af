import { openMailer } from "../../platform/mail";
import { atEndOfFile } from "../../testing";
import { type ReceivedMail, startMail } from "./mail";

async function sinkWithMailer() {
  const seen: ReceivedMail[] = [];
  const sink = await startMail({ onMail: (mail) => seen.push(mail) });
  atEndOfFile(() => sink.stop());
  const mailer = openMailer(sink.url, "Fleet <fleet@example.com>");
  atEndOfFile(async () => mailer.close());
  return { sink, mailer, seen };
}

test("a mail is shown with its links, each once and unescaped", async () => {
  const { mailer, sink, seen } = await sinkWithMailer();
  const link = "https://fleet.example/reset-password?token=a.b.c&verify=true";
  await mailer.send(
    {
      to: "pilot@example.com",
      subject: "Grüße",
      text: `Open ${link}`,
      html: `<a href="${link.replaceAll("&", "&amp;")}">Open</a>`,
      messageId: "<one@fleet.example>",
    },
    "resets",
  );
  expect(seen).toEqual([
    {
      to: ["pilot@example.com"],
      messageId: "<one@fleet.example>",
      subject: "Grüße",
      text: expect.stringContaining(link),
      html: expect.stringContaining("<a href="),
      links: [link],
    },
  ]);
  expect(sink.mails).toEqual(seen);
});

test("a stopped mail server accepts no mail", async () => {
  const { mailer, sink } = await sinkWithMailer();
  await sink.stop();
  await expect(mailer.send({ to: "pilot@example.com", subject: "s", text: "t" }, "resets")).rejects.toThrow();
});
