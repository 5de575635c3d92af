/** The payment provider's own states of a subscription. */
export const subscriptionStatuses = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** The part of a subscription that the gate reads. */
export interface Entitlement {
  readonly status: SubscriptionStatus;
  /** Vehicles paid for, at least 1. */
  readonly vehicle_count: number;
}

export type VehicleKind = "physical" | "sitl";

export const gateReasons = [
  "free_tier",
  "allowed",
  "no_subscription",
  "subscription_inactive",
  "vehicle_limit_reached",
] as const;
export type GateReason = (typeof gateReasons)[number];

export interface GateAnswer {
  readonly can_add: boolean;
  readonly reason: GateReason;
  /** For people: the reason, and what to do after a refusal. */
  readonly message: string;
}

/** Simulated vehicles of a user without a subscription. */
export const FREE_SIMULATED = 1;

/** Paid, or within its trial. */
export const isActive = ({ status }: Pick<Entitlement, "status">): boolean =>
  status === "active" || status === "trialing";

/**
 * Whether a user with this many vehicles may add one more of this kind. It is asked only when one is added: a lapsed or
 * smaller subscription never removes a vehicle.
 *
 * No active subscription: one simulated vehicle, no physical one.
 * An active one: `vehicle_count` physical vehicles and `vehicle_count + 1` simulated ones.
 */
export function vehicleGate(
  kind: VehicleKind,
  owned: Readonly<Record<VehicleKind, number>>,
  subscription: Entitlement | undefined,
): GateAnswer {
  return subscription && isActive(subscription)
    ? paidGate(kind, owned[kind], subscription.vehicle_count)
    : freeGate(kind, owned.sitl, subscription !== undefined);
}

function paidGate(kind: VehicleKind, owned: number, paidFor: number): GateAnswer {
  const limit = kind === "physical" ? paidFor : paidFor + FREE_SIMULATED;
  const vehicles = `${limit} ${kind === "physical" ? "physical" : "simulated"} ${limit === 1 ? "vehicle" : "vehicles"}`;
  return owned < limit
    ? yes("allowed", `Your subscription covers ${vehicles}.`)
    : no(
        "vehicle_limit_reached",
        `Your subscription covers ${vehicles}, and you have ${owned}. Raise its vehicle count or delete a vehicle.`,
      );
}

function freeGate(kind: VehicleKind, ownedSimulated: number, lapsed: boolean): GateAnswer {
  if (kind === "sitl" && ownedSimulated < FREE_SIMULATED) {
    return yes("free_tier", "One simulated vehicle is free.");
  }
  if (lapsed) {
    return no(
      "subscription_inactive",
      "Your subscription is not active. Renew it or settle its payment to add vehicles.",
    );
  }
  return kind === "physical"
    ? no("no_subscription", "A physical vehicle needs a subscription. Subscribe for at least one vehicle.")
    : no(
        "vehicle_limit_reached",
        "One simulated vehicle is free, and you have it. Subscribe to add more, or delete it.",
      );
}

const yes = (reason: GateReason, message: string): GateAnswer => ({ can_add: true, reason, message });
const no = (reason: GateReason, message: string): GateAnswer => ({ can_add: false, reason, message });
