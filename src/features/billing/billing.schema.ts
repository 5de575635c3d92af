import { z } from "zod";
import type { RowOf } from "../../platform/postgres/row-of";
import { gateReasons, subscriptionStatuses } from "./vehicle-gate";

/** Far below the limits of an integer column and of Stripe's quantity. */
const MAX_VEHICLES = 100_000;

export const VehicleCount = z
  .object({ vehicle_count: z.int().min(1).max(MAX_VEHICLES) })
  .meta({ id: "VehicleCount" });

export const Cancellation = z
  .object({ immediate: z.boolean().optional().describe("At once rather than at the period's end.") })
  .meta({ id: "Cancellation" });

export const PaymentsQuery = z.object({
  limit: z.coerce
    .number()
    .refine((value) => Number.isInteger(value), "must be an integer")
    .default(20)
    .transform((value) => Math.min(100, Math.max(1, value)))
    .describe("Clamped to 1..100."),
});

export const CanAddQuery = z.object({
  vehicle_type: z
    .enum(["physical", "sitl"])
    .default("physical")
    .describe("The drone's `type`: `physical` or `sitl`, a simulated one. `physical` when absent."),
});

export const Pricing = z
  .object({
    price_per_vehicle: z.int().describe("Minor units of the currency."),
    currency: z.string(),
    billing_period: z.enum(["month", "year"]),
    free_simulated_vehicles: z.int(),
    checkout_available: z
      .boolean()
      .describe("Whether a subscription can be bought here. Where it cannot, the operator grants them."),
  })
  .meta({ id: "Pricing" });

export const SubscriptionReply = z
  .object({
    id: z.int(),
    user_id: z.int(),
    status: z.enum(subscriptionStatuses),
    vehicle_count: z.int(),
    cancel_at_period_end: z.boolean(),
    current_period_end: z.iso.datetime().nullable(),
    granted: z.boolean().describe("Granted by the operator, not paid for."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Subscription" });

export const PaymentReply = z
  .object({
    id: z.int(),
    invoice_id: z.string(),
    /** Null for an invoice without a payment, or where the provider does not name it. */
    payment_intent_id: z.string().nullable(),
    status: z.enum(["paid", "failed"]),
    amount: z.int().describe("Minor units of the currency."),
    currency: z.string(),
    invoice_url: z.string().nullable().describe("Where the provider shows the invoice."),
    paid_at: z.iso.datetime().describe("When it was paid, or failed to be."),
  })
  .meta({ id: "Payment" });

export const CheckoutReply = z
  .object({ checkout_url: z.string(), session_id: z.string() })
  .meta({ id: "Checkout" });

export const PortalReply = z.object({ portal_url: z.string() }).meta({ id: "BillingPortal" });

export const CanAddReply = z
  .object({
    can_add: z.boolean(),
    reason: z.enum(gateReasons),
    message: z.string(),
    subscription: SubscriptionReply.nullable(),
  })
  .meta({ id: "CanAddVehicle" });

export const EventReply = z.object({ status: z.enum(["processed", "duplicate", "ignored"]) });

/** A row of `subscriptions`: a user has one at most. `provider_id` is null for one that the operator granted. */
export type Subscription = Omit<RowOf<typeof SubscriptionReply>, "granted"> & {
  readonly provider_id: string | null;
};

export const toSubscriptionReply = ({ provider_id, ...subscription }: Subscription) => ({
  ...subscription,
  granted: provider_id === null,
});
