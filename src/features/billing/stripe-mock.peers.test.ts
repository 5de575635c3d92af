import { freePort } from "../../laptop/free-port";
import { startServerProcess } from "../../laptop/servers/server-process";
import type { GatewayConfig } from "../../platform/config";
import { atEndOfFile } from "../../testing";
import { type PaymentProvider, stripeProvider } from "./payment-provider";
import type { SubscriptionSnapshot } from "./subscription-snapshots";

/** Stripe's own mock: it holds every request against Stripe's published description, and keeps no state. */
let provider: PaymentProvider;
let unpriced: PaymentProvider;
beforeAll(async () => {
  const binary = process.env.PEERS_STRIPE_MOCK;
  if (!binary) throw new Error("PEERS_STRIPE_MOCK is not set; run npm run test:peers.");
  const port = await freePort();
  const mock = await startServerProcess({
    name: "stripe-mock",
    command: binary,
    // Without an address for HTTPS it takes a fixed port, on all of them.
    args: ["-http-addr", `127.0.0.1:${port}`, "-https-addr", "127.0.0.1:0"],
    readyText: "Listening for HTTP at",
    readyWithinMs: 60_000,
    stopSignal: "SIGTERM",
  });
  atEndOfFile(() => mock.stop());
  const STRIPE_API_BASE = `http://127.0.0.1:${port}`;
  const config = {
    ...{ STRIPE_SECRET_KEY: "sk_test_123", STRIPE_API_BASE, PUBLIC_ORIGIN: "https://fly.example.com" },
    ...{ BILLING_PRICE_MINOR_UNITS: 12_000, BILLING_CURRENCY: "eur", BILLING_PERIOD: "year" },
  } as GatewayConfig;
  provider = stripeProvider({ ...config, STRIPE_PRICE_ID: "price_1" }) as PaymentProvider;
  unpriced = stripeProvider(config) as PaymentProvider;
}, 90_000);

const seen = {
  facts: expect.objectContaining({ id: expect.stringMatching(/^sub_/), customer_id: expect.any(String) }),
  seenAt: expect.any(Date),
};

test("accepts our checkouts, with its own price and with ours, for a customer and for an email", async () => {
  const fields = { userId: 7, vehicleCount: 3, customerId: undefined, email: "pilot@example.com" };
  const opened = { url: expect.stringMatching(/^https/), sessionId: expect.stringMatching(/^cs_/) };
  for (const one of [provider, unpriced]) {
    expect(await one.openCheckout(fields)).toEqual(opened);
    expect(await one.openCheckout({ ...fields, customerId: "cus_1", email: undefined })).toEqual(opened);
  }
  await expect(provider.closeCheckout("cs_test_1")).resolves.toBeUndefined();
});

test("accepts our portal session", async () => {
  expect(await provider.openPortal("cus_1")).toMatch(/^https/);
});

test("returns subscriptions in a shape that we parse", async () => {
  expect(await provider.find("sub_1")).toEqual(seen);
});

test("accepts our change of quantity, both cancellations and their reversal", async () => {
  const { facts } = (await provider.find("sub_1")) as SubscriptionSnapshot;
  expect(await provider.setVehicleCount({ ...facts, itemId: "si_1" }, 5)).toEqual(seen);
  expect(await provider.cancel("sub_1", "period end")).toEqual(seen);
  expect(await provider.cancel("sub_1", "once")).toEqual(seen);
  expect(await provider.resume("sub_1")).toEqual(seen);
});

test("refuses a request that Stripe does not have, so that the tests above can fail", async () => {
  const fields = { userId: 7, customerId: undefined, email: "pilot@example.com" };
  const refused = provider.openCheckout({ ...fields, vehicleCount: "many" as never });
  await expect(refused).rejects.toMatchObject({ code: "billing_refused" });
});
