import { FakePayments } from "../../testing/fakes/fake-payments";
import {
  checkoutObject,
  freshId,
  invoiceObject,
  type PaymentEvent,
  paymentEvent,
  type SubscriptionFields,
  signEvent,
  subscriptionObject,
} from "../../testing/fakes/payment-events";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

const SECRET = "whsec_for_tests_only";
let gateway: TestGateway;
let asking: TestGateway;
let fake: FakePayments;
beforeAll(async () => {
  fake = await FakePayments.start();
  gateway = await startTestGateway({ STRIPE_WEBHOOK_SECRET: SECRET });
  asking = await startTestGateway({
    STRIPE_WEBHOOK_SECRET: SECRET,
    STRIPE_SECRET_KEY: "sk_test_fake",
    STRIPE_API_BASE: fake.url,
  });
});

const NOW = 1_795_000_000;

const send = (event: PaymentEvent, to = gateway) => {
  const body = JSON.stringify(event);
  return to.api.with({ "payment-signature": signEvent(body, SECRET) }).post("/billing/webhook", body);
};
const subscriptionOf = async ({ api }: TestUser) => (await api.get("/billing/subscription")).body.data;
const paymentsOf = async ({ api }: TestUser) => (await api.get("/billing/payments")).body.data;

async function newSubscriber(at = gateway) {
  const user = await at.newUser();
  const fields: SubscriptionFields = { id: freshId("sub"), customer: freshId("cus"), userId: user.id };
  const sendEvent = (kind: string, changes: Partial<SubscriptionFields>, created: number) =>
    send(
      paymentEvent(`customer.subscription.${kind}`, subscriptionObject({ ...fields, ...changes }), created),
      at,
    );
  return { user, fields, sendEvent };
}

describe("a signature", () => {
  const event = paymentEvent("customer.created", {}, NOW);
  const body = JSON.stringify(event);
  const good = () => signEvent(body, SECRET);
  const post = (headers: Record<string, string>, text = body) =>
    gateway.api.with({ "content-type": "application/json", ...headers }).post("/billing/webhook", text);

  test.each(["payment-signature", "stripe-signature"])("in %s is taken", async (header) => {
    const reply = await post({ [header]: good() });
    expect(reply).toMatchObject({ status: 200, body: { success: true, status: "ignored" } });
    expect(reply.body.data).toEqual({ status: "ignored" });
  });

  test.each<[string, () => Record<string, string>, string]>([
    ["that is absent", () => ({}), body],
    ["of another secret", () => ({ "payment-signature": signEvent(body, "whsec_other") }), body],
    ["of another body", () => ({ "payment-signature": good() }), body.replace("customer.", "customer .")],
    ["of the same JSON, spaced otherwise", () => ({ "payment-signature": good() }), `${body} `],
    ["that is six minutes old", () => ({ "payment-signature": signEvent(body, SECRET, ago(360)) }), body],
    ["that is no signature", () => ({ "payment-signature": "nonsense" }), body],
    [
      "that is bad beside a good one of the other header",
      () => ({ "payment-signature": "t=1,v1=00", "stripe-signature": good() }),
      body,
    ],
  ])("%s is refused with 400 in envelope A", async (_what, headers, text) => {
    const reply = await post(headers(), text);
    expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["an array", "[]"],
    ["an object that is no event", '{"id":"evt_1"}'],
    [
      "an event whose subscription cannot be read",
      JSON.stringify(paymentEvent("customer.subscription.updated", { id: 7 }, NOW)),
    ],
    [
      "a time that no database keeps",
      JSON.stringify(
        paymentEvent("invoice.paid", invoiceObject({ id: "sub_1", customer: "cus_1" }), 99_999_999_999_999),
      ),
    ],
    [
      "more vehicles than a column holds",
      JSON.stringify(
        paymentEvent(
          "customer.subscription.updated",
          subscriptionObject({ id: "sub_1", customer: "cus_1", quantity: 99_999_999_999 }),
          NOW,
        ),
      ),
    ],
  ])("over %s does not make the body an event", async (_what, text) => {
    const reply = await post({ "payment-signature": signEvent(text || " ", SECRET) }, text);
    expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
  });

  test("is refused without a configured secret, and not checked on a laptop", async () => {
    const [local, production] = await Promise.all([
      startTestGateway(),
      startTestGateway({ DEPLOYMENT: "production" }),
    ]);
    const ask = ({ api }: TestGateway) =>
      api.with({ "content-type": "application/json" }).post("/billing/webhook", body);
    expect((await ask(local)).status).toBe(200);
    const refused = await ask(production);
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain("STRIPE_WEBHOOK_SECRET");
  });
});

const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

describe("a subscription", () => {
  test("that is bought lets its user add vehicles, and a repeated event changes nothing", async () => {
    const { user, fields } = await newSubscriber();
    const bought = paymentEvent(
      "checkout.session.completed",
      checkoutObject({ ...fields, quantity: 3 }),
      NOW,
    );
    expect((await send(bought)).body.status).toBe("processed");
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 3, granted: false });
    expect((await send(bought)).body.status).toBe("duplicate");
    const wanted = { type: "physical", name: "One", vehicle_type: "copter" };
    expect((await user.api.post("/drone", wanted)).status).toBe(201);
  });

  test("whose update arrives before its creation keeps the update", async () => {
    const { user, sendEvent } = await newSubscriber();
    await sendEvent("updated", { status: "active", quantity: 4 }, NOW + 5);
    await sendEvent("created", { status: "incomplete", quantity: 1 }, NOW);
    const period = { current_period_end: new Date(1_830_000_000_000).toISOString() };
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 4, ...period });
  });

  test("that was deleted stays deleted when an older update arrives later", async () => {
    const { user, sendEvent } = await newSubscriber();
    await sendEvent("created", {}, NOW);
    await sendEvent("deleted", { status: "active" }, NOW + 9);
    await sendEvent("updated", { quantity: 9 }, NOW + 5);
    expect(await subscriptionOf(user)).toMatchObject({ status: "canceled", vehicle_count: 1 });
  });

  test("that is active stays active when an older update arrives later", async () => {
    const { user, sendEvent } = await newSubscriber();
    await sendEvent("updated", { status: "active", quantity: 3 }, NOW + 9);
    await sendEvent("updated", { status: "past_due", quantity: 1 }, NOW + 5);
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 3 });
  });

  test("is not requested from the provider after an older update", async () => {
    const { user, fields, sendEvent } = await newSubscriber(asking);
    fake.addSubscription(fields.id, fields.customer, 6);
    await sendEvent("updated", { quantity: 3 }, NOW + 9);
    await sendEvent("updated", { quantity: 1 }, NOW + 5);
    expect(fake.requestLines).not.toContain(`GET /v1/subscriptions/${fields.id}`);
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 3 });
  });

  test("that a checkout reported before its payment takes the state of an older update", async () => {
    const { user, fields, sendEvent } = await newSubscriber();
    const checkout = { ...checkoutObject(fields), payment_status: "unpaid" };
    await send(paymentEvent("checkout.session.completed", checkout, NOW + 3));
    expect(await subscriptionOf(user)).toMatchObject({ status: "incomplete" });
    await sendEvent("updated", { status: "active", quantity: 2 }, NOW + 2);
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 2 });
  });

  test("ends in the same state for every order of the same events", async () => {
    const kinds = ["checkout", "created", "updated", "invoice"] as const;
    for (const order of permutations(kinds)) {
      const { user, fields, sendEvent } = await newSubscriber();
      const tell = {
        checkout: () =>
          send(
            paymentEvent("checkout.session.completed", checkoutObject({ ...fields, quantity: 2 }), NOW + 3),
          ),
        created: () => sendEvent("created", { status: "incomplete", quantity: 2, userId: undefined }, NOW),
        updated: () => sendEvent("updated", { status: "active", quantity: 2, userId: undefined }, NOW + 2),
        invoice: () =>
          send(paymentEvent("invoice.paid", invoiceObject({ ...fields, userId: undefined }), NOW + 2)),
      };
      for (const kind of order) expect((await tell[kind]()).status).toBe(200);
      const ends = { order, ...(await subscriptionOf(user)), payments: (await paymentsOf(user)).length };
      expect(ends).toMatchObject({ order, status: "active", vehicle_count: 2, payments: 1 });
      expect(ends.current_period_end).not.toBeNull();
    }
  });

  test("of an unknown customer is assigned when the customer's user becomes known", async () => {
    const user = await gateway.newUser();
    const fields = { id: freshId("sub"), customer: freshId("cus"), quantity: 2 };
    await send(paymentEvent("customer.subscription.created", subscriptionObject(fields), NOW));
    await send(paymentEvent("invoice.paid", invoiceObject(fields), NOW));
    expect(await subscriptionOf(user)).toBeNull();
    const claimed = checkoutObject({ ...fields, userId: user.id });
    await send(paymentEvent("checkout.session.completed", claimed, NOW + 1));
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 2 });
    expect(await paymentsOf(user)).toHaveLength(1);
  });

  test("of a deleted user is accepted and assigned to no user", async () => {
    const fields = { id: freshId("sub"), customer: freshId("cus"), userId: 2_000_000_000 };
    const event = paymentEvent("customer.subscription.created", subscriptionObject(fields), NOW);
    expect((await send(event)).body.status).toBe("processed");
    const row = await gateway.deps.db("provider_subscriptions").where({ id: fields.id }).first();
    expect(row).toMatchObject({ user_id: null, status: "active" });
  });

  test("that ended does not end a newer one of the same user", async () => {
    const { user, fields, sendEvent } = await newSubscriber();
    await sendEvent("created", { id: freshId("sub"), quantity: 5 }, NOW + 10);
    await sendEvent("deleted", { id: fields.id }, NOW + 20);
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 5 });
  });

  test("with two events in one second and no API key stays ended, also after its creation event", async () => {
    const { user, sendEvent } = await newSubscriber();
    await sendEvent("updated", { quantity: 3 }, NOW);
    await sendEvent("created", { quantity: 1 }, NOW);
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 3 });
    await sendEvent("deleted", {}, NOW);
    await sendEvent("updated", { quantity: 8 }, NOW);
    expect(await subscriptionOf(user)).toMatchObject({ status: "canceled" });
  });

  test("with two events in one second is requested from the provider when there is an API key", async () => {
    const { user, fields, sendEvent } = await newSubscriber(asking);
    fake.addSubscription(fields.id, fields.customer, 6);
    await sendEvent("updated", { quantity: 3 }, NOW);
    await sendEvent("updated", { quantity: 4 }, NOW);
    expect(fake.requestLines.at(-1)).toBe(`GET /v1/subscriptions/${fields.id}`);
    expect(await subscriptionOf(user)).toMatchObject({ status: "active", vehicle_count: 6 });
  });

  test("that cannot be requested answers 500, stores nothing, and is processed when the event is sent again", async () => {
    const { user, fields, sendEvent } = await newSubscriber(asking);
    fake.addSubscription(fields.id, fields.customer, 6);
    await sendEvent("updated", { quantity: 3 }, NOW);
    const tied = paymentEvent(
      "customer.subscription.updated",
      subscriptionObject({ ...fields, quantity: 4 }),
      NOW,
    );
    fake.failNext(400, { type: "idempotency_error", message: "not now" });
    const failed = await send(tied, asking);
    expect(failed).toMatchObject({ status: 500, body: { success: false, error: { code: 500 } } });
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 3 });
    expect((await send(tied, asking)).body.status).toBe("processed");
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 6 });
  });
});

describe("a payment", () => {
  test("is recorded once, also after concurrent deliveries", async () => {
    const { user, fields } = await newSubscriber();
    const invoice = invoiceObject({ ...fields, paymentIntent: freshId("pi") });
    const same = paymentEvent("invoice.paid", invoice, NOW);
    const others = Array.from({ length: 6 }, () => paymentEvent("invoice.paid", invoice, NOW));
    const replies = await Promise.all([same, same, same, ...others].map((event) => send(event)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(replies.filter(({ body }) => body.status === "duplicate")).toHaveLength(2);
    expect(await paymentsOf(user)).toEqual([
      expect.objectContaining({ status: "paid", amount: 12_000, currency: "eur", invoice_id: invoice.id }),
    ]);
  });

  test("of one payment intent is recorded once, also for two invoices and two customers at once", async () => {
    const { user, fields } = await newSubscriber();
    const paymentIntent = freshId("pi");
    const invoice = (customer: string) =>
      paymentEvent("invoice.paid", invoiceObject({ ...fields, customer, paymentIntent }), NOW);
    const replies = await Promise.all([send(invoice(fields.customer)), send(invoice(freshId("cus")))]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await paymentsOf(user)).toHaveLength(1);
  });

  test("without a payment intent is recorded, and two of them are two", async () => {
    const { user, fields } = await newSubscriber();
    for (const amount of [0, 500])
      await send(paymentEvent("invoice.paid", invoiceObject({ ...fields, amount }), NOW));
    expect((await paymentsOf(user)).map((payment: { amount: number }) => payment.amount).sort()).toEqual([
      0, 500,
    ]);
  });

  test("that failed may become paid, and a paid one never fails", async () => {
    const { user, fields } = await newSubscriber();
    const invoice = invoiceObject({ ...fields, paymentIntent: freshId("pi") });
    await send(paymentEvent("invoice.payment_failed", invoice, NOW));
    expect(await paymentsOf(user)).toMatchObject([{ status: "failed" }]);
    await send(paymentEvent("invoice.paid", invoice, NOW + 1));
    await send(paymentEvent("invoice.payment_failed", invoice, NOW + 2));
    expect(await paymentsOf(user)).toMatchObject([{ status: "paid" }]);
  });

  test("is also read from an invoice's older shape", async () => {
    const { user, fields } = await newSubscriber();
    const { parent: _, ...rest } = invoiceObject(fields);
    const invoice = { ...rest, subscription: fields.id, payment_intent: freshId("pi") };
    const subscription_details = { metadata: { user_id: String(user.id) } };
    await send(paymentEvent("invoice.paid", { ...invoice, subscription_details }, NOW));
    expect(await paymentsOf(user)).toMatchObject([{ payment_intent_id: invoice.payment_intent }]);
  });
});

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, at) =>
    permutations([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}
