import { z } from "zod";
import { type SubscriptionStatus, subscriptionStatuses } from "./vehicle-gate";

/**
 * The fields that we read of Stripe's objects, in their older and newer shapes: events come in the API version that the
 * account chose. Times are in whole seconds.
 */

/** Up to the year 9999: Postgres refuses later times, and the event would be sent again for ever. */
const seconds = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((value) => new Date(value * 1000));
/** Fits an integer column. */
const count = z.int().max(2_147_483_647);
/** An object as its id, or expanded. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** A positive number that our checkout wrote, as text; other values are not ours. */
const written = z.coerce.number().int().positive().max(2_147_483_647).nullish().catch(null);

/** Metadata that our checkout writes into sessions and subscriptions. */
const metadata = z
  .object({
    user_id: written,
    vehicle_count: written,
  })
  .nullish()
  .transform((value) => ({ userId: value?.user_id ?? null, vehicleCount: value?.vehicle_count ?? null }));

export const ProviderEvent = z.object({
  id: z.string().min(1),
  type: z.string().min(1),
  created: seconds,
  data: z.object({ object: z.looseObject({}) }),
});
export type ProviderEvent = z.output<typeof ProviderEvent>;

export interface SubscriptionFacts {
  readonly id: string;
  readonly customer_id: string;
  readonly userId: number | null;
  readonly itemId: string | null;
  readonly status: SubscriptionStatus;
  /** Null when neither an item nor the metadata names it. */
  readonly vehicle_count: number | null;
  readonly cancel_at_period_end: boolean;
  readonly current_period_end: Date | null;
  readonly started_at: Date;
}

const item = z.object({
  id: z.string().optional(),
  quantity: count.nullish(),
  current_period_end: seconds.nullish(),
});

export const SubscriptionObject = z
  .object({
    id: z.string(),
    customer: reference,
    status: z.enum(subscriptionStatuses),
    created: seconds,
    cancel_at_period_end: z.boolean().nullish(),
    cancel_at: z.int().nullish(),
    current_period_end: seconds.nullish(),
    items: z.object({ data: z.array(item) }).nullish(),
    metadata,
  })
  .transform((it): SubscriptionFacts => {
    const [first] = it.items?.data ?? [];
    const quantity = first?.quantity ?? it.metadata.vehicleCount;
    return {
      id: it.id,
      customer_id: it.customer,
      userId: it.metadata.userId,
      itemId: first?.id ?? null,
      status: it.status,
      vehicle_count: quantity === null ? null : Math.max(1, quantity),
      cancel_at_period_end: it.cancel_at_period_end === true || typeof it.cancel_at === "number",
      current_period_end: first?.current_period_end ?? it.current_period_end ?? null,
      started_at: it.created,
    };
  });

export const CheckoutObject = z
  .object({
    id: z.string(),
    customer: maybe(reference),
    subscription: maybe(reference),
    client_reference_id: written,
    payment_status: z.string().nullish(),
    metadata,
  })
  .transform((it) => ({
    id: it.id,
    customer_id: it.customer,
    subscriptionId: it.subscription,
    userId: it.client_reference_id ?? it.metadata.userId,
    vehicle_count: it.metadata.vehicleCount,
    paid: it.payment_status === "paid" || it.payment_status === "no_payment_required",
  }));
export type CheckoutFacts = z.output<typeof CheckoutObject>;

const settlement = z.object({ payment: z.object({ payment_intent: maybe(reference) }).nullish() });

export const InvoiceObject = z
  .object({
    id: z.string(),
    customer: maybe(reference),
    amount_paid: z.int(),
    amount_due: z.int(),
    currency: z.string(),
    hosted_invoice_url: maybe(z.string()),
    status_transitions: z.object({ paid_at: seconds.nullish() }).nullish(),
    payment_intent: maybe(reference),
    payments: z.object({ data: z.array(settlement) }).nullish(),
    subscription: maybe(reference),
    subscription_details: z.object({ metadata }).nullish(),
    parent: z
      .object({ subscription_details: z.object({ metadata, subscription: maybe(reference) }).nullish() })
      .nullish(),
  })
  .transform((it) => {
    const details = it.parent?.subscription_details;
    const settled = it.payments?.data.map(({ payment }) => payment?.payment_intent).find(Boolean);
    return {
      id: it.id,
      customer_id: it.customer,
      userId: details?.metadata.userId ?? it.subscription_details?.metadata.userId ?? null,
      subscriptionId: details?.subscription ?? it.subscription,
      payment_intent_id: it.payment_intent ?? settled ?? null,
      amountPaid: it.amount_paid,
      amountDue: it.amount_due,
      currency: it.currency,
      invoice_url: it.hosted_invoice_url,
      paidAt: it.status_transitions?.paid_at ?? null,
    };
  });
export type InvoiceFacts = z.output<typeof InvoiceObject>;
