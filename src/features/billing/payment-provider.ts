import Stripe from "stripe";
import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../../platform/config";
import { type SubscriptionFacts, SubscriptionObject } from "./provider-events";
import type { SubscriptionSnapshot } from "./subscription-snapshots";

interface CheckoutRequest {
  readonly userId: number;
  readonly vehicleCount: number;
  /** The user's customer id at the provider, if any. */
  readonly customerId: string | undefined;
  readonly email: string | undefined;
}

const REQUEST_TIMEOUT_MS = 10_000;

export type PaymentProvider = NonNullable<ReturnType<typeof stripeProvider>>;

/**
 * Calls of Stripe, or undefined when no key is configured. Each rejects with `billing_refused` when Stripe refuses it, and
 * with `payment_provider_failed` when Stripe cannot be reached; the change may have been made then.
 */
export function stripeProvider(config: GatewayConfig) {
  const { STRIPE_SECRET_KEY: key, PUBLIC_ORIGIN: origin } = config;
  if (!key) return undefined;
  const stripe = new Stripe(key, { ...baseOf(config), timeout: REQUEST_TIMEOUT_MS, telemetry: false });

  const change = (id: string, params: Stripe.SubscriptionUpdateParams) =>
    snapshot(() => stripe.subscriptions.update(id, params));

  return {
    async openCheckout({ userId, vehicleCount, customerId, email }: CheckoutRequest) {
      const metadata = { user_id: String(userId), vehicle_count: String(vehicleCount) };
      const session = await callStripe(() =>
        stripe.checkout.sessions.create({
          mode: "subscription",
          line_items: [{ ...priceOf(config), quantity: vehicleCount }],
          client_reference_id: String(userId),
          ...(customerId ? { customer: customerId } : { customer_email: email }),
          metadata,
          subscription_data: { metadata },
          success_url: `${origin}/billing?checkout=success`,
          cancel_url: `${origin}/billing?checkout=cancelled`,
        }),
      );
      if (!session.url)
        throw new DomainError("payment_provider_failed", "The checkout has no page to go to.");
      return { url: session.url, sessionId: session.id };
    },

    /** Expires a checkout that is still open. Resolves with its subscription when it was paid before. */
    async closeCheckout(id: string): Promise<string | undefined> {
      const closed = await callStripe(() => stripe.checkout.sessions.expire(id)).catch(ignoreRefusal);
      if (closed) return undefined;
      const session = await callStripe(() => stripe.checkout.sessions.retrieve(id)).catch(ignoreRefusal);
      if (session?.status !== "complete" || !session.subscription) return undefined;
      return typeof session.subscription === "string" ? session.subscription : session.subscription.id;
    },

    async openPortal(customerId: string): Promise<string> {
      const session = await callStripe(() =>
        stripe.billingPortal.sessions.create({ customer: customerId, return_url: `${origin}/billing` }),
      );
      return session.url;
    },

    /** Undefined when there is no such subscription. */
    find: (id: string) => snapshot(() => stripe.subscriptions.retrieve(id)).catch(ignoreRefusal),

    /** Charges or credits the difference at once. */
    async setVehicleCount({ id, itemId }: SubscriptionFacts, vehicleCount: number) {
      if (!itemId) throw new DomainError("billing_refused", "This subscription has no quantity to change.");
      return change(id, {
        items: [{ id: itemId, quantity: vehicleCount }],
        metadata: { vehicle_count: String(vehicleCount) },
        proration_behavior: "always_invoice",
        payment_behavior: "error_if_incomplete",
      });
    },

    cancel: (id: string, at: "once" | "period end") =>
      at === "once"
        ? snapshot(() => stripe.subscriptions.cancel(id))
        : change(id, { cancel_at_period_end: true }),

    /** Undoes a cancellation at the period's end. */
    async resume(id: string) {
      const current = await callStripe(() => stripe.subscriptions.retrieve(id));
      // Stripe's own pages may set a date instead of the flag.
      return change(id, current.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: "" });
    },
  };
}

function baseOf({ STRIPE_API_BASE: base }: GatewayConfig) {
  if (!base) return {};
  const { protocol, hostname, port } = new URL(base);
  const secure = protocol === "https:";
  return {
    protocol: secure ? ("https" as const) : ("http" as const),
    host: hostname,
    port: Number(port || (secure ? 443 : 80)),
  };
}

function priceOf(config: GatewayConfig): Stripe.Checkout.SessionCreateParams.LineItem {
  if (config.STRIPE_PRICE_ID) return { price: config.STRIPE_PRICE_ID };
  return {
    price_data: {
      currency: config.BILLING_CURRENCY,
      unit_amount: config.BILLING_PRICE_MINOR_UNITS,
      recurring: { interval: config.BILLING_PERIOD },
      product_data: { name: "Vehicle" },
    },
  };
}

/**
 * `seenAt` is the reply's date less the duration of the request: never after the reply's content was read, so an event
 * that happened later is never older.
 */
async function snapshot(
  ask: () => Promise<Stripe.Response<Stripe.Subscription>>,
): Promise<SubscriptionSnapshot> {
  const began = performance.now();
  const reply = await callStripe(ask);
  const replied = Date.parse(reply.lastResponse.headers.date ?? "") || Date.now();
  const tookSeconds = Math.ceil((performance.now() - began) / 1000);
  const seenAt = new Date((Math.floor(replied / 1000) - tookSeconds) * 1000);
  const facts = SubscriptionObject.safeParse(reply);
  if (facts.success) return { facts: facts.data, seenAt };
  throw failed(facts.error);
}

async function callStripe<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) {
      throw new DomainError("billing_refused", `The payment was refused: ${error.message}`, { cause: error });
    }
    if (error instanceof Stripe.errors.StripeInvalidRequestError) {
      throw new DomainError("billing_refused", "The payment provider refused this request.", {
        cause: error,
      });
    }
    throw failed(error);
  }
}

const failed = (cause: unknown) =>
  new DomainError("payment_provider_failed", "The payment provider cannot be asked now; try again shortly.", {
    cause,
  });

function ignoreRefusal(error: unknown): undefined {
  if (error instanceof DomainError && error.code === "billing_refused") return undefined;
  throw error;
}
