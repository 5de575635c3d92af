import {
  confirmRecipients,
  endExecution,
  startExecution,
  startFlight,
  untilReported,
} from "../../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(90_000);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

const mailsTo = (address: string) => gateway.mail.mails.filter(({ to }) => to.includes(address));

test("of five flights with twenty recipients who confirmed nothing, each recipient gets one mail: the link", async () => {
  const { user, drone, id } = await startFlight(gateway);
  const others = Array.from({ length: 20 }, (_, n) => `other-${n}@example.com`);
  const listed = await user.api.put("/user/report-emails", { extra_emails: others.join(",") });
  expect(listed.body).toMatchObject({
    all_recipients: [user.username, ...others],
    unconfirmed_emails: others,
  });
  await confirmRecipients(gateway, user, others.slice(0, 1));
  await user.api.put("/user/report-emails", { extra_emails: others.join(",") });
  await endExecution(drone, id);
  await untilReported({ user }, id);
  for (let n = 1; n < 5; n++) {
    const next = await startExecution(drone);
    await endExecution(drone, next);
    await untilReported({ user }, next);
  }
  expect(mailsTo(user.username)).toHaveLength(5);
  expect(mailsTo("other-0@example.com").map(({ subject }) => subject.startsWith("Confirm"))).toEqual([
    ...[true, false, false, false, false, false],
  ]);
  // The others were taken from the list and added again meanwhile.
  expect(
    others
      .slice(1)
      .flatMap(mailsTo)
      .map(({ subject }) => subject),
  ).toEqual(Array(38).fill("Confirm that you want flight reports"));
});

test("a link is mailed once while it works, again after it has expired, and works no more then", async () => {
  const user = await gateway.newUser();
  const { db } = gateway.deps;
  const list = () => user.api.put("/user/report-emails", { extra_emails: "late@example.com" });
  await list();
  await list();
  expect(mailsTo("late@example.com")).toHaveLength(1);
  await db("report_addresses")
    .update({ expires_at: db.raw("now() - interval '1 s'") })
    .where({ user_id: user.id });
  const link = new URL(mailsTo("late@example.com")[0]?.links[0] ?? "").pathname.replace("/api/v1", "");
  expect((await gateway.api.post(link)).status).toBe(401);
  expect((await list()).body.unconfirmed_emails).toEqual(["late@example.com"]);
  expect(mailsTo("late@example.com")).toHaveLength(2);
  expect((await gateway.api.post(link)).status).toBe(401);
});

test("an address that leaves the list loses its confirmation; one's own needs none", async () => {
  const user = await gateway.newUser();
  await confirmRecipients(gateway, user, ["boss@example.com"]);
  await user.api.put("/user/report-emails", { extra_emails: user.username });
  const again = await user.api.put("/user/report-emails", {
    extra_emails: `boss@example.com, ${user.username}`,
  });
  expect(again.body).toMatchObject({
    all_recipients: [user.username, "boss@example.com"],
    unconfirmed_emails: ["boss@example.com"],
  });
});

test("links beyond a quota are not mailed: 429, the list is stored, and the same list later mails them", async () => {
  const limited = await startTestGateway({ QUOTA_MAILS: "2" });
  const user = await limited.newUser();
  const extra_emails = "a@example.com,b@example.com,c@example.com";
  expect(await user.api.put("/user/report-emails", { extra_emails })).toMatchObject({
    status: 429,
    body: { error: { message: expect.stringMatching(/quota mails .*are stored/) } },
  });
  expect((await user.api.get("/user/report-emails")).body).toMatchObject({
    extra_emails,
    unconfirmed_emails: extra_emails.split(","),
  });
  await limited.deps.redis.del(`limit:mails:${user.id}`);
  expect((await user.api.put("/user/report-emails", { extra_emails })).status).toBe(200);
  expect(limited.mail.mails.flatMap(({ to }) => to).sort()).toEqual(extra_emails.split(","));
});
