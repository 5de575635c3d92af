import { DomainError } from "../../domain/errors";
import { MailQuotas, mailboxOf } from "./mail-quotas";

test.each([
  ["Pilot@Example.com", "pilot@example.com"],
  ["pilot+reports@example.com", "pilot@example.com"],
  ["a+b+c@example.com", "a@example.com"],
  ["+b@example.com", "+b@example.com"],
])("%s is in the mailbox %s", (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));

function counting(refusing?: string) {
  const counts: Record<string, number> = {};
  const add = (name: string, key: string | number, by: number) => {
    counts[`${name} ${key}`] = (counts[`${name} ${key}`] ?? 0) + by;
  };
  const mails = new MailQuotas({
    take: async (name, key) => {
      if (name === refusing) throw new DomainError("too_many_requests", "Too many.");
      add(name, key, 1);
    },
    giveBack: async (name, key) => add(name, key, -1),
  });
  return { counts, mails };
}

const report = { to: "a+drone@b.c", kind: "report", userId: 1 } as const;

test("a mail that one quota refuses is not sent and counts in none", async () => {
  const { counts, mails } = counting("all_mails");
  const send = jest.fn(async () => undefined);
  await expect(mails.counted(report, send)).rejects.toThrow("Too many.");
  expect(Object.values(counts)).toEqual([0, 0]);
  expect(send).not.toHaveBeenCalled();
});

test("a mail that the server did not take counts in none", async () => {
  const { counts, mails } = counting();
  await expect(mails.counted(report, () => Promise.reject(new Error("no server")))).rejects.toThrow(
    "no server",
  );
  expect(Object.values(counts)).toEqual([0, 0, 0]);
});

test("mails asked for without an account and reports of drones are counted apart for a mailbox", async () => {
  const { counts, mails } = counting();
  await mails.counted(report, async () => undefined);
  await mails.counted({ to: "a@b.c", kind: "verification", site: "192.0.2.1" }, async () => undefined);
  expect(counts).toMatchObject({ "mailbox_mails asked a@b.c": 1, "mailbox_mails unasked a@b.c": 1 });
});
