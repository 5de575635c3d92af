import { z } from "zod";
import { type Route, route } from "../../http/route";
import {
  CanAddQuery,
  CanAddReply,
  Cancellation,
  CheckoutReply,
  EventReply,
  PaymentReply,
  PaymentsQuery,
  PortalReply,
  Pricing,
  SubscriptionReply,
  toSubscriptionReply,
  VehicleCount,
} from "./billing.schema";
import type { BillingService } from "./billing.service";
import type { WebhookService } from "./webhook.service";

const tag = "Billing";
const user = { tag, guard: "user", envelope: "A" } as const;
const money = { 400: "Payments are not set up here, or your subscription does not allow it." };
const changed = { status: 200, schema: SubscriptionReply } as const;

/** The signature can only be checked once the event is read; Stripe's events are shorter. */
const EVENT_BYTES = 262_144;

export function billingRoutes(
  service: BillingService,
  webhook: WebhookService,
  pricing: z.output<typeof Pricing>,
): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/billing/pricing",
      tag,
      summary: "Price of a vehicle",
      guard: "public",
      envelope: "A",
      success: { status: 200, schema: Pricing },
      handle: () => pricing,
    }),
    route({
      ...user,
      method: "get",
      path: "/billing/subscription",
      summary: "Your subscription, or null",
      success: { status: 200, schema: SubscriptionReply.nullable() },
      handle: async ({ caller }) => {
        const subscription = await service.subscription(caller.id);
        return subscription && toSubscriptionReply(subscription);
      },
    }),
    route({
      ...user,
      method: "post",
      path: "/billing/checkout",
      summary: "Open the payment page for a subscription",
      description: "A page that you opened before and did not finish is closed.",
      envelope: "A+top",
      body: VehicleCount,
      success: { status: 200, schema: CheckoutReply },
      documents: { 400: "A subscription is active already, or payments are not set up here." },
      handle: ({ caller, body }) => service.openCheckout(caller.id, body.vehicle_count),
    }),
    route({
      ...user,
      method: "post",
      path: "/billing/portal",
      summary: "Open the page for payment methods and invoices",
      envelope: "A+top",
      success: { status: 200, schema: PortalReply },
      documents: money,
      handle: ({ caller }) => service.openPortal(caller.id),
    }),
    route({
      ...user,
      method: "put",
      path: "/billing/subscription/vehicles",
      summary: "Change how many vehicles the subscription covers",
      description: "The difference is charged or credited at once. Not below the vehicles that exist.",
      body: VehicleCount,
      success: changed,
      documents: money,
      handle: async ({ caller, body }) =>
        toSubscriptionReply(await service.setVehicleCount(caller.id, body.vehicle_count)),
    }),
    route({
      ...user,
      method: "post",
      path: "/billing/subscription/cancel",
      summary: "Cancel the subscription",
      body: Cancellation,
      success: changed,
      documents: money,
      handle: async ({ caller, body }) =>
        toSubscriptionReply(await service.cancel(caller.id, body.immediate ? "once" : "period end")),
    }),
    route({
      ...user,
      method: "post",
      path: "/billing/subscription/reactivate",
      summary: "Undo a cancellation at the period's end",
      success: changed,
      documents: money,
      handle: async ({ caller }) => toSubscriptionReply(await service.reactivate(caller.id)),
    }),
    route({
      ...user,
      method: "get",
      path: "/billing/payments",
      summary: "Your payments, newest first",
      query: PaymentsQuery,
      success: { status: 200, schema: z.array(PaymentReply) },
      handle: ({ caller, query }) => service.payments(caller.id, query.limit),
    }),
    route({
      ...user,
      method: "get",
      path: "/billing/can-add-vehicle",
      summary: "Whether you may add one more vehicle of this kind",
      query: CanAddQuery,
      success: { status: 200, schema: CanAddReply },
      handle: async ({ caller, query }) => {
        const { subscription, ...answer } = await service.canAddVehicle(caller.id, query.vehicle_type);
        return { ...answer, subscription: subscription && toSubscriptionReply(subscription) };
      },
    }),
    route({
      method: "post",
      path: "/billing/webhook",
      tag,
      summary: "Receive an event of the payment provider",
      description:
        "Signed in the header `Payment-Signature`, or `Stripe-Signature`, over the body as it is sent. An event counts once, however often it is sent. Other event types answer `{status: ignored}`.",
      guard: "token",
      tokenHeader: "Payment-Signature",
      envelope: "A+top",
      rawBody: { mediaType: "application/json", description: "The event as the provider signed it." },
      bodyLimitBytes: EVENT_BYTES,
      success: { status: 200, schema: EventReply },
      documents: { 400: "The signature or the payload is not valid." },
      handle: async ({ rawBody, ctx }) => {
        const signature = ctx.get("payment-signature") || ctx.get("stripe-signature") || undefined;
        return { status: await webhook.receive(rawBody, signature) };
      },
    }),
  ];
}
