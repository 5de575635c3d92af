import { DomainError } from "../../domain/errors";
import { MailQuotas, mailboxOf } from "./mail-quotas";

test.each([
  ["Pilot@Example.com", "pilot@example.com"],
  ["pilot+reports@example.com", "pilot@example.com"],
  ["a+b+c@example.com", "a@example.com"],
  ["+b@example.com", "+b@example.com"],
])("%s is in the mailbox %s", (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));

test("a mail that one quota refuses counts in none", async () => {
  const counts = new Map<string, number>();
  const add = (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by);
  const mails = new MailQuotas({
    take: async (name) => {
      if (name === "all_mails") throw new DomainError("too_many_requests", "Too many.");
      add(name, 1);
    },
    giveBack: async (name) => void add(name, -1),
  });
  await expect(mails.take({ to: "a@b.c", kind: "report", userId: 1 })).rejects.toThrow("Too many.");
  expect(Object.fromEntries(counts)).toEqual({ mails: 0, mailbox_mails: 0 });
});
