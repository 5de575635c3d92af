import Stripe from "stripe";
import type { z } from "zod";
import { DomainError } from "../../domain/errors";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { linkCustomer, removeOpenCheckout } from "./customers.store";
import type { PaymentProvider } from "./payment-provider";
import { recordPayment, storePaymentEvent } from "./payments.store";
import {
  type CheckoutFacts,
  CheckoutObject,
  type InvoiceFacts,
  InvoiceObject,
  ProviderEvent,
  SubscriptionObject,
} from "./provider-events";
import {
  deriveSubscription,
  findProviderSubscription,
  lockCustomer,
  putProviderSubscription,
} from "./provider-subscriptions.store";
import { applySnapshot, type ResolveTie, resolveUser } from "./subscription-snapshots";

interface WebhookDeps {
  readonly config: Pick<GatewayConfig, "STRIPE_WEBHOOK_SECRET" | "DEPLOYMENT">;
  readonly db: Db;
  readonly clock: Clock;
  readonly provider: Pick<PaymentProvider, "find"> | undefined;
}

type WebhookResult = "processed" | "duplicate" | "ignored";

/** An older signature may be a replay. */
const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Asks the provider for a subscription as it is now. */
type Refetch = (subscriptionId: string) => ReturnType<PaymentProvider["find"]>;
/** What an event changes, inside a transaction that holds its customer. */
type Handler = (trx: Db, refetch: Refetch) => Promise<void>;

/** Receives the payment provider's events. Each counts once, in whatever order they come. */
export class WebhookService {
  constructor(private readonly deps: WebhookDeps) {}

  /**
   * Rejects with `invalid_input` when the signature or the payload is not good. Any other rejection leaves nothing
   * behind, and the provider sends the event again.
   */
  async receive(body: Buffer, signature: string | undefined): Promise<WebhookResult> {
    this.verify(body, signature);
    const event = parseEvent(body);
    const handling = readEvent(event);
    if (!handling) return "ignored";
    const { db, provider } = this.deps;
    return db.transaction(async (trx) => {
      if (!(await storePaymentEvent(trx, event))) return "duplicate";
      await lockCustomer(trx, handling.customerId);
      await handling.handle(trx, async (id) => provider?.find(id));
      return "processed";
    });
  }

  private verify(body: Buffer, signature: string | undefined): void {
    const { STRIPE_WEBHOOK_SECRET: secret, DEPLOYMENT } = this.deps.config;
    if (!secret) {
      if (DEPLOYMENT === "local") return;
      throw invalid("Events cannot be verified here: STRIPE_WEBHOOK_SECRET is not configured.");
    }
    if (!signature) throw invalid("The event is not signed.");
    try {
      Stripe.webhooks.constructEvent(
        body,
        signature,
        secret,
        SIGNATURE_TOLERANCE_SECONDS,
        undefined,
        this.deps.clock.now().getTime(),
      );
    } catch (error) {
      throw invalid("The event's signature or payload is not good.", error);
    }
  }
}

function parseEvent(body: Buffer): ProviderEvent {
  try {
    return read(ProviderEvent, JSON.parse(body.toString("utf8")));
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("The event is not valid JSON.", error);
  }
}

/** Undefined for an event of another type, or without a customer. */
function readEvent({
  type,
  created,
  data,
}: ProviderEvent): { customerId: string; handle: Handler } | undefined {
  switch (type) {
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted": {
      const object = read(SubscriptionObject, data.object);
      const facts = type.endsWith("deleted") ? { ...object, status: "canceled" as const } : object;
      const handle: Handler = (trx, refetch) => {
        const resolveTie: ResolveTie = async (known) => {
          const current = await refetch(facts.id);
          if (current) return current.facts;
          // Without a provider to ask: an ended subscription stays ended, and a creation precedes everything else.
          return hasEnded(known.status) || type.endsWith("created") ? undefined : facts;
        };
        return applySnapshot(trx, { facts, seenAt: created }, resolveTie);
      };
      return { customerId: facts.customer_id, handle };
    }
    case "checkout.session.completed":
      return withCustomer(read(CheckoutObject, data.object), finishCheckout(created));
    case "invoice.paid":
    case "invoice.payment_failed":
      return withCustomer(
        read(InvoiceObject, data.object),
        keepInvoice(type === "invoice.paid" ? "paid" : "failed", created),
      );
    default:
      return undefined;
  }
}

function withCustomer<F extends { customer_id: string | null }>(
  facts: F,
  handle: (trx: Db, facts: F, customerId: string) => Promise<void>,
): { customerId: string; handle: Handler } | undefined {
  const { customer_id } = facts;
  if (customer_id === null) return undefined;
  return { customerId: customer_id, handle: (trx) => handle(trx, facts, customer_id) };
}

/** Links the customer to its user, and stores the subscription where no event of its own has come yet. */
const finishCheckout =
  (created: Date) =>
  async (trx: Db, facts: CheckoutFacts, customer_id: string): Promise<void> => {
    await removeOpenCheckout(trx, facts.id);
    const user_id = await resolveUser(trx, customer_id, facts.userId);
    if (facts.subscriptionId !== null) {
      const known = await findProviderSubscription(trx, facts.subscriptionId);
      if (!known) {
        await putProviderSubscription(trx, {
          ...{ id: facts.subscriptionId, customer_id, user_id },
          status: facts.paid ? "active" : "incomplete",
          vehicle_count: facts.vehicle_count ?? 1,
          cancel_at_period_end: false,
          current_period_end: null,
          started_at: created,
          // An unpaid checkout only begins a subscription: any event of the subscription itself is newer.
          seen_at: facts.paid ? created : new Date(0),
        });
      } else if (facts.paid && known.status === "incomplete" && known.seen_at <= created) {
        await putProviderSubscription(trx, { ...known, status: "active" });
      }
    }
    if (user_id !== null) await deriveSubscription(trx, user_id);
  };

const keepInvoice =
  (status: "paid" | "failed", created: Date) =>
  async (trx: Db, facts: InvoiceFacts, customer_id: string): Promise<void> => {
    const subscription = facts.subscriptionId && (await findProviderSubscription(trx, facts.subscriptionId));
    const user_id =
      (await resolveUser(trx, customer_id, facts.userId)) ?? (subscription || null)?.user_id ?? null;
    if (user_id !== null && (await linkCustomer(trx, customer_id, user_id)))
      await deriveSubscription(trx, user_id);
    await recordPayment(trx, {
      ...{ user_id, customer_id, status },
      invoice_id: facts.id,
      payment_intent_id: facts.payment_intent_id,
      provider_subscription_id: facts.subscriptionId,
      amount: status === "paid" ? facts.amountPaid : facts.amountDue,
      currency: facts.currency,
      invoice_url: facts.invoice_url,
      paid_at: (status === "paid" && facts.paidAt) || created,
    });
  };

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid("The event's payload is not one that can be read.", parsed.error);
}

const hasEnded = (status: string) => status === "canceled" || status === "incomplete_expired";

const invalid = (message: string, cause?: unknown) => new DomainError("invalid_input", message, { cause });
