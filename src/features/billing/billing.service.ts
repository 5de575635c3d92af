import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { findUser } from "../accounts";
import { customerOfUser, findOpenCheckout, replaceOpenCheckout } from "./customers.store";
import type { PaymentProvider } from "./payment-provider";
import { paymentsOf, type ShownPayment } from "./payments.store";
import { findProviderSubscription, lockCustomer } from "./provider-subscriptions.store";
import { applySnapshot, type SubscriptionSnapshot } from "./subscription-snapshots";
import { findSubscription, type Subscription } from "./subscriptions.store";
import { FREE_SIMULATED, type GateAnswer, isActive, type VehicleKind, vehicleGate } from "./vehicle-gate";

export interface BillingServiceDeps {
  readonly db: Db;
  /** Undefined where payments are not set up. */
  readonly provider: PaymentProvider | undefined;
  /** A user's live vehicles by kind. */
  readonly countVehicles: (db: Db, userId: number) => Promise<Readonly<Record<VehicleKind, number>>>;
}

/** A subscription that the provider sold. */
type Bought = Subscription & { readonly provider_id: string };

/** Checkouts, changes and cancellations of users' subscriptions. */
export class BillingService {
  constructor(private readonly deps: BillingServiceDeps) {}

  async subscription(userId: number): Promise<Subscription | null> {
    return (await findSubscription(this.deps.db, userId)) ?? null;
  }

  payments(userId: number, limit: number): Promise<ShownPayment[]> {
    return paymentsOf(this.deps.db, userId, limit);
  }

  async canAddVehicle(
    userId: number,
    kind: VehicleKind,
  ): Promise<GateAnswer & { subscription: Subscription | null }> {
    const [owned, subscription] = await Promise.all([
      this.deps.countVehicles(this.deps.db, userId),
      this.subscription(userId),
    ]);
    return { ...vehicleGate(kind, owned, subscription ?? undefined), subscription };
  }

  async openCheckout(userId: number, vehicleCount: number) {
    const { db } = this.deps;
    const provider = this.provider();
    const current = await this.subscription(userId);
    if (current && isActive(current)) refuse("You have an active subscription; change its vehicle count.");
    if (current?.provider_id && ["past_due", "unpaid", "paused"].includes(current.status))
      refuse("You have a subscription that waits for its payment; settle it in the billing portal.");
    // Two open pages could both be paid.
    const earlier = await findOpenCheckout(db, userId);
    const paidFor = earlier && (await provider.closeCheckout(earlier));
    if (paidFor && !(await findProviderSubscription(db, paidFor)))
      refuse("Your last checkout was paid and is being processed; look again in a moment.");
    const [customerId, user] = await Promise.all([customerOfUser(db, userId), findUser(db, userId)]);
    const email = user?.username;
    const { url, sessionId } = await provider.openCheckout({ userId, vehicleCount, customerId, email });
    const meanwhile = await replaceOpenCheckout(db, userId, sessionId);
    if (meanwhile && meanwhile !== earlier) await provider.closeCheckout(meanwhile);
    return { checkout_url: url, session_id: sessionId };
  }

  async openPortal(userId: number) {
    const provider = this.provider();
    const customerId = await customerOfUser(this.deps.db, userId);
    if (!customerId) return refuse("You have not bought anything yet; begin with a checkout.");
    return { portal_url: await provider.openPortal(customerId) };
  }

  async setVehicleCount(userId: number, vehicleCount: number): Promise<Subscription> {
    const provider = this.provider();
    const { provider_id, vehicle_count } = await this.bought(userId);
    if (vehicleCount < vehicle_count) await this.refuseTooFew(userId, vehicleCount);
    const sold = await provider.find(provider_id);
    if (!sold) return refuse("The payment provider does not know your subscription.");
    return this.store(userId, await provider.setVehicleCount(sold.facts, vehicleCount));
  }

  async cancel(userId: number, at: "once" | "period end"): Promise<Subscription> {
    const provider = this.provider();
    const { provider_id } = await this.bought(userId);
    return this.store(userId, await provider.cancel(provider_id, at));
  }

  async reactivate(userId: number): Promise<Subscription> {
    const provider = this.provider();
    const { provider_id, cancel_at_period_end } = await this.bought(userId);
    if (!cancel_at_period_end) refuse("Your subscription is not about to end.");
    return this.store(userId, await provider.resume(provider_id));
  }

  private provider(): PaymentProvider {
    if (this.deps.provider) return this.deps.provider;
    const message = "Payments are not set up on this service; ask its operator to grant you a subscription.";
    throw new DomainError("billing_not_configured", message);
  }

  private async bought(userId: number): Promise<Bought> {
    const current = await this.subscription(userId);
    if (!current) return refuse("You have no subscription; begin with a checkout.");
    const { provider_id, status } = current;
    if (provider_id === null)
      return refuse("Your subscription was granted by the operator, and only the operator can change it.");
    if (status === "canceled" || status === "incomplete_expired")
      return refuse("Your subscription has ended; begin a new one with a checkout.");
    return { ...current, provider_id };
  }

  private async refuseTooFew(userId: number, vehicleCount: number): Promise<void> {
    const { physical, sitl } = await this.deps.countVehicles(this.deps.db, userId);
    if (physical <= vehicleCount && sitl <= vehicleCount + FREE_SIMULATED) return;
    refuse(
      `You have ${physical} physical and ${sitl} simulated vehicles; a vehicle count of ${vehicleCount} covers ${vehicleCount} physical and ${vehicleCount + FREE_SIMULATED} simulated ones. Delete some first.`,
    );
  }

  /** Stores the provider's reply at once; its event follows later. */
  private async store(userId: number, snapshot: SubscriptionSnapshot): Promise<Subscription> {
    await this.deps.db.transaction(async (trx) => {
      await lockCustomer(trx, snapshot.facts.customer_id);
      await applySnapshot(trx, snapshot, async () => snapshot.facts);
    });
    const current = await this.subscription(userId);
    return current ?? refuse("Your subscription is gone.");
  }
}

function refuse(message: string): never {
  throw new DomainError("billing_refused", message);
}
