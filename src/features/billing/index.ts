export { findSubscription, type Subscription, saveSubscription } from "./subscriptions.store";
export {
  type Entitlement,
  type GateAnswer,
  type GateReason,
  type SubscriptionStatus,
  type VehicleKind,
  vehicleGate,
} from "./vehicle-gate";
