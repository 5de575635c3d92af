import Stripe from "stripe";

/** Events in the shapes that Stripe documents, reduced to what is told to us, and signed as Stripe signs. */

export interface PaymentEvent {
  readonly id: string;
  readonly object: "event";
  readonly type: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

let last = 0;
/** A provider's id that no test has used. */
export const freshId = (prefix: string): string => `${prefix}_${process.pid}_${++last}`;

export const paymentEvent = (type: string, object: object, created: number): PaymentEvent => ({
  ...{
    id: freshId("evt"),
    object: "event",
    type,
    created,
    livemode: false,
    api_version: "2026-10-28.endive",
  },
  data: { object: object as Record<string, unknown> },
});

export interface SubscriptionFields {
  readonly id: string;
  readonly customer: string;
  readonly userId?: number;
  readonly status?: string;
  readonly quantity?: number;
  readonly cancelAtPeriodEnd?: boolean;
}

export const subscriptionObject = (fields: SubscriptionFields) => ({
  id: fields.id,
  object: "subscription",
  customer: fields.customer,
  status: fields.status ?? "active",
  created: 1_790_000_000,
  cancel_at: null,
  cancel_at_period_end: fields.cancelAtPeriodEnd ?? false,
  metadata: fields.userId === undefined ? {} : { user_id: String(fields.userId) },
  items: {
    object: "list",
    data: [
      {
        id: `si_${fields.id}`,
        object: "subscription_item",
        quantity: fields.quantity ?? 1,
        current_period_end: 1_830_000_000,
      },
    ],
  },
});

export const checkoutObject = (fields: SubscriptionFields) => ({
  id: freshId("cs_test"),
  object: "checkout.session",
  mode: "subscription",
  payment_status: "paid",
  status: "complete",
  customer: fields.customer,
  subscription: fields.id,
  client_reference_id: fields.userId === undefined ? null : String(fields.userId),
  metadata: { user_id: String(fields.userId), vehicle_count: String(fields.quantity ?? 1) },
});

export const invoiceObject = (
  fields: SubscriptionFields & { invoice?: string; paymentIntent?: string | null; amount?: number },
) => ({
  id: fields.invoice ?? freshId("in"),
  object: "invoice",
  customer: fields.customer,
  amount_due: fields.amount ?? 12_000,
  amount_paid: fields.amount ?? 12_000,
  currency: "eur",
  hosted_invoice_url: "https://invoice.example.com/i/1",
  status_transitions: { paid_at: 1_795_000_000 },
  parent: {
    type: "subscription_details",
    subscription_details: {
      subscription: fields.id,
      metadata: fields.userId === undefined ? {} : { user_id: String(fields.userId) },
    },
  },
  ...(fields.paymentIntent === undefined
    ? {}
    : {
        payments: {
          object: "list",
          data: [{ payment: { type: "payment_intent", payment_intent: fields.paymentIntent } }],
        },
      }),
});

/** The signature header for a body that is sent now, or at another time. */
export const signEvent = (payload: string, secret: string, timestamp?: number): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp } as never);
