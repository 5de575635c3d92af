import { testExamples } from "../../testing/contract/examples";
import { FakePayments } from "../../testing/fakes/fake-payments";
import {
  checkoutObject,
  freshId,
  paymentEvent,
  subscriptionObject,
} from "../../testing/fakes/payment-events";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { saveSubscription } from ".";

let gateway: TestGateway;
let fake: FakePayments;
beforeAll(async () => {
  fake = await FakePayments.start();
  gateway = await startTestGateway({
    STRIPE_SECRET_KEY: "sk_test_fake",
    STRIPE_API_BASE: fake.url,
    PUBLIC_ORIGIN: "https://fly.example.com",
  });
});
beforeEach(() => void fake.requests.splice(0));

/** A user whose checkout was paid. */
async function subscriber(vehicles = 2) {
  const user = await gateway.newUser();
  const subscription = { id: freshId("sub"), customer: freshId("cus"), userId: user.id, quantity: vehicles };
  fake.addSubscription(subscription.id, subscription.customer, vehicles);
  // A second ago by the provider's clock, so that later events are newer.
  const completed = paymentEvent("checkout.session.completed", checkoutObject(subscription), 1_795_000_000);
  await gateway.api.post("/billing/webhook", completed);
  return { user, ...subscription };
}
const addDrones = async ({ api }: TestUser, type: string, count: number) => {
  for (let at = 0; at < count; at++)
    expect((await api.post("/drone", { type, name: "One", vehicle_type: "copter" })).status).toBe(201);
};
const subscriptionOf = async ({ api }: TestUser) => (await api.get("/billing/subscription")).body.data;

describe("a checkout", () => {
  test("is available where a provider is set up", async () => {
    expect((await gateway.api.get("/billing/pricing")).body.data.checkout_available).toBe(true);
  });

  test("is asked for with the price, the user and the count, and answers inside data and beside it", async () => {
    const user = await gateway.newUser();
    const { status, body } = await user.api.post("/billing/checkout", { vehicle_count: 3 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, session_id: expect.stringMatching(/^cs_test_/) });
    expect(body.checkout_url).toBe(`https://checkout.example.com/${body.session_id}`);
    expect(body.data).toEqual({ checkout_url: body.checkout_url, session_id: body.session_id });
    expect(fake.requestLines).toEqual(["POST /v1/checkout/sessions"]);
    expect(fake.requests[0]?.headers.authorization).toBe("Bearer sk_test_fake");
    expect(fake.requests[0]?.fields).toEqual({
      mode: "subscription",
      "line_items[0][price_data][currency]": "eur",
      "line_items[0][price_data][unit_amount]": "12000",
      "line_items[0][price_data][recurring][interval]": "year",
      "line_items[0][price_data][product_data][name]": "Vehicle",
      "line_items[0][quantity]": "3",
      client_reference_id: String(user.id),
      customer_email: user.username,
      "metadata[user_id]": String(user.id),
      "metadata[vehicle_count]": "3",
      "subscription_data[metadata][user_id]": String(user.id),
      "subscription_data[metadata][vehicle_count]": "3",
      success_url: "https://fly.example.com/billing?checkout=success",
      cancel_url: "https://fly.example.com/billing?checkout=cancelled",
    });
  });

  test("closes the earlier open checkout", async () => {
    const { api } = await gateway.newUser();
    const first = (await api.post("/billing/checkout", { vehicle_count: 1 })).body.session_id;
    const second = (await api.post("/billing/checkout", { vehicle_count: 2 })).body.session_id;
    expect([fake.checkouts.get(first), fake.checkouts.get(second)]).toEqual(["expired", "open"]);
    expect((await api.post("/billing/checkout", { vehicle_count: 2 })).status).toBe(200);
  });

  test("leaves one page open, also after concurrent requests", async () => {
    const { api } = await gateway.newUser();
    const replies = await Promise.all(
      [1, 2, 3, 4].map((vehicle_count) => api.post("/billing/checkout", { vehicle_count })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const states = replies.map(({ body }) => fake.checkouts.get(body.session_id));
    expect(states.sort()).toEqual(["expired", "expired", "expired", "open"]);
  });

  test("that was paid is not started again before its event has arrived, and can be afterwards", async () => {
    const user = await gateway.newUser();
    const again = () => user.api.post("/billing/checkout", { vehicle_count: 1 });
    const { session_id } = (await again()).body;
    fake.checkouts.set(session_id, "complete");
    const refused = await again();
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/paid/) } },
    });
    const paid = { id: `sub_of_${session_id}`, customer: freshId("cus"), userId: user.id };
    const tell = (kind: string, created: number) =>
      gateway.api.post(
        "/billing/webhook",
        paymentEvent(`customer.subscription.${kind}`, subscriptionObject(paid), created),
      );
    await tell("created", 1_795_000_000);
    expect((await again()).body.error.message).toMatch(/active subscription/);
    await tell("deleted", 1_795_000_001);
    expect((await again()).status).toBe(200);
  });

  test("is refused with an active subscription, bought or granted, without a request to the provider", async () => {
    const { user: buyer } = await subscriber();
    const granted = await gateway.newUser();
    await saveSubscription(gateway.deps.db, granted.id, { status: "active", vehicle_count: 1 });
    for (const { api } of [buyer, granted]) {
      const reply = await api.post("/billing/checkout", { vehicle_count: 1 });
      expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
    }
    expect(fake.requestLines).toEqual([]);
  });

  test("after a cancellation is for the same customer", async () => {
    const { user, customer } = await subscriber();
    await user.api.post("/billing/subscription/cancel", { immediate: true });
    expect((await user.api.post("/billing/checkout", { vehicle_count: 1 })).status).toBe(200);
    expect(fake.requests.at(-1)?.fields).toMatchObject({ customer });
    expect(fake.requests.at(-1)?.fields).not.toHaveProperty("customer_email");
  });

  test("uses a configured price", async () => {
    const other = await startTestGateway({
      ...{ STRIPE_SECRET_KEY: "sk_test_fake", STRIPE_API_BASE: fake.url, STRIPE_PRICE_ID: "price_vehicle" },
    });
    await (await other.newUser()).api.post("/billing/checkout", { vehicle_count: 1 });
    expect(fake.requests.at(-1)?.fields).toMatchObject({ "line_items[0][price]": "price_vehicle" });
  });

  test("answers 500 without the provider's message when the provider fails", async () => {
    const { api } = await gateway.newUser();
    fake.failNext(401, { type: "invalid_request_error", message: "Invalid API Key: sk_test_fake" });
    const reply = await api.post("/billing/checkout", { vehicle_count: 1 });
    expect(reply).toMatchObject({ status: 500, body: { success: false, error: { code: 500 } } });
    expect(JSON.stringify(reply.body)).not.toContain("sk_test");
  });
});

test("the portal is opened for the caller's customer, and refused for a caller who is no customer", async () => {
  const { user, customer } = await subscriber();
  const { body } = await user.api.post("/billing/portal");
  expect(body.portal_url).toBe(`https://portal.example.com/${customer}`);
  expect(body.data).toEqual({ portal_url: body.portal_url });
  expect(fake.requests[0]?.fields).toEqual({ customer, return_url: "https://fly.example.com/billing" });
  const nobody = await gateway.newUser();
  expect((await nobody.api.post("/billing/portal")).status).toBe(400);
});

describe("the vehicle count", () => {
  test("is changed at the provider and in the database at once", async () => {
    const { user, id } = await subscriber(2);
    const { status, body } = await user.api.put("/billing/subscription/vehicles", { vehicle_count: 5 });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ vehicle_count: 5, status: "active" });
    expect(fake.requestLines).toEqual([`GET /v1/subscriptions/${id}`, `POST /v1/subscriptions/${id}`]);
    expect(fake.requests[1]?.fields).toEqual({
      "items[0][id]": `si_${id}`,
      "items[0][quantity]": "5",
      "metadata[vehicle_count]": "5",
      proration_behavior: "always_invoice",
      payment_behavior: "error_if_incomplete",
    });
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 5 });
  });

  test("is not lowered below the number of vehicles, and the error names both numbers", async () => {
    const { user } = await subscriber(3);
    await addDrones(user, "physical", 2);
    await addDrones(user, "sitl", 3);
    const reply = await user.api.put("/billing/subscription/vehicles", { vehicle_count: 1 });
    expect(reply).toMatchObject({ status: 400, body: { success: false, error: { code: 400 } } });
    expect(reply.body.error.message).toContain("2 physical and 3 simulated");
    expect(fake.requestLines).toEqual([]);
    expect((await user.api.put("/billing/subscription/vehicles", { vehicle_count: 2 })).status).toBe(200);
  });

  test("is restored when the provider refuses to lower it", async () => {
    const { user } = await subscriber(3);
    fake.failNext(400, { type: "invalid_request_error", message: "No." }, "POST");
    expect((await user.api.put("/billing/subscription/vehicles", { vehicle_count: 1 })).status).toBe(400);
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 3 });
    await addDrones(user, "physical", 3);
  });

  test("stays as it was when the card is declined", async () => {
    const { user, id } = await subscriber(2);
    const held = fake.subscriptions.get(id);
    const declined = { type: "card_error", code: "card_declined", message: "Your card was declined." };
    fake.failNext(402, declined, "POST");
    const put = await user.api.put("/billing/subscription/vehicles", { vehicle_count: 5 });
    expect(put.status).toBe(400);
    expect(put.body.error.message).toContain("Your card was declined.");
    expect(held?.quantity).toBe(2);
    expect(await subscriptionOf(user)).toMatchObject({ vehicle_count: 2 });
  });

  test.each(["put", "post"] as const)(
    "of nobody, of a granted and of an ended one is refused: %s",
    async (method) => {
      const path = method === "put" ? "/billing/subscription/vehicles" : "/billing/subscription/cancel";
      const nobody = await gateway.newUser();
      const granted = await gateway.newUser();
      await saveSubscription(gateway.deps.db, granted.id, { status: "active", vehicle_count: 1 });
      const { user: ended } = await subscriber();
      await ended.api.post("/billing/subscription/cancel", { immediate: true });
      for (const { api } of [nobody, granted, ended])
        expect((await api[method](path, { vehicle_count: 2 })).status).toBe(400);
    },
  );
});

describe("a cancellation", () => {
  test("comes at the period's end, and can be undone until then", async () => {
    const { user, id } = await subscriber();
    const cancelled = await user.api.post("/billing/subscription/cancel");
    expect(cancelled.body.data).toMatchObject({ status: "active", cancel_at_period_end: true });
    expect(cancelled.body.data.current_period_end).toBe(new Date(1_830_000_000_000).toISOString());
    expect(fake.requests.at(-1)?.fields).toEqual({ cancel_at_period_end: "true" });
    const again = await user.api.post("/billing/subscription/reactivate");
    expect(again.body.data).toMatchObject({ status: "active", cancel_at_period_end: false });
    expect(fake.subscriptions.get(id)?.cancel_at_period_end).toBe(false);
    expect((await user.api.post("/billing/subscription/reactivate")).status).toBe(400);
  });

  test("comes at once when it is to be immediate, and cannot be undone", async () => {
    const { user, id } = await subscriber();
    const { body } = await user.api.post("/billing/subscription/cancel", { immediate: true });
    expect(body.data).toMatchObject({ status: "canceled" });
    expect(fake.requestLines).toEqual([`DELETE /v1/subscriptions/${id}`]);
    expect((await user.api.post("/billing/subscription/reactivate")).status).toBe(400);
    const input = { type: "physical", name: "One", vehicle_type: "copter" };
    expect((await user.api.post("/drone", input)).body.error).toContain("subscription_inactive");
  });

  test("that the provider's pages set to a date is undone too", async () => {
    const { user, id } = await subscriber();
    const held = fake.subscriptions.get(id);
    if (held) held.cancel_at = 1_830_000_000;
    await user.api.put("/billing/subscription/vehicles", { vehicle_count: 2 });
    expect(await subscriptionOf(user)).toMatchObject({ cancel_at_period_end: true });
    const { body } = await user.api.post("/billing/subscription/reactivate");
    expect(body.data).toMatchObject({ cancel_at_period_end: false });
    expect(held?.cancel_at).toBeNull();
  });
});

testExamples(
  () => gateway.features.routes,
  [
    "POST /billing/checkout",
    "POST /billing/portal",
    "PUT /billing/subscription/vehicles",
    "POST /billing/subscription/cancel",
    "POST /billing/subscription/reactivate",
  ],
);
