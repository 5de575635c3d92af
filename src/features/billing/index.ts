import type { Route } from "../../http/route";
import type { Services } from "../../platform/services";
import { billingRoutes } from "./billing.routes";
import { BillingService, type BillingServiceDeps } from "./billing.service";
import { stripeProvider } from "./payment-provider";
import { FREE_SIMULATED } from "./vehicle-gate";
import { WebhookService } from "./webhook.service";

export { grantSubscription, revokeSubscription } from "./grant";
export { findSubscription, type Subscription, saveSubscription } from "./subscriptions.store";
export {
  type Entitlement,
  type GateAnswer,
  type GateReason,
  isActive,
  type SubscriptionStatus,
  type VehicleKind,
  vehicleGate,
} from "./vehicle-gate";

interface BillingDeps extends Pick<Services, "config" | "db" | "clock"> {
  readonly countVehicles: BillingServiceDeps["countVehicles"];
}

/** Subscriptions, which the payment provider sells or an operator grants. */
export function billing({ config, db, clock, countVehicles }: BillingDeps): {
  readonly routes: readonly Route[];
} {
  const provider = stripeProvider(config);
  const pricing = {
    price_per_vehicle: config.BILLING_PRICE_MINOR_UNITS,
    currency: config.BILLING_CURRENCY,
    billing_period: config.BILLING_PERIOD,
    free_simulated_vehicles: FREE_SIMULATED,
    checkout_available: provider !== undefined,
  };
  const service = new BillingService({ db, provider, countVehicles });
  return { routes: billingRoutes(service, new WebhookService({ config, db, clock, provider }), pricing) };
}
