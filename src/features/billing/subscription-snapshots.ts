import type { Db } from "../../platform/postgres/db";
import { linkCustomer, userOfCustomer } from "./customers.store";
import type { SubscriptionFacts } from "./provider-events";
import {
  deriveSubscription,
  fillPeriodEnd,
  findProviderSubscription,
  type ProviderSubscription,
  putProviderSubscription,
} from "./provider-subscriptions.store";

/** A subscription as the provider showed it. */
export interface SubscriptionSnapshot {
  readonly facts: SubscriptionFacts;
  /** The provider's time of it, in whole seconds; where that is unknown, a time not after it. */
  readonly seenAt: Date;
}

/** Chooses between two different snapshots of one second: the facts to store, or undefined to keep the known ones. */
export type ResolveTie = (known: ProviderSubscription) => Promise<SubscriptionFacts | undefined>;

/** Stores a snapshot of a subscription unless a newer one is known, and updates its user's subscription. */
export async function applySnapshot(
  trx: Db,
  { facts, seenAt }: SubscriptionSnapshot,
  resolveTie: ResolveTie,
): Promise<void> {
  const known = await findProviderSubscription(trx, facts.id);
  const newest = known ? await newerFacts(known, facts, seenAt, resolveTie) : facts;
  const userId = (await resolveUser(trx, facts.customer_id, facts.userId)) ?? known?.user_id ?? null;
  if (newest) await putProviderSubscription(trx, toRow(newest, known, userId, seenAt));
  else if (facts.current_period_end) await fillPeriodEnd(trx, facts.id, facts.current_period_end);
  if (userId !== null) await deriveSubscription(trx, userId);
}

async function newerFacts(
  known: ProviderSubscription,
  facts: SubscriptionFacts,
  seenAt: Date,
  resolveTie: ResolveTie,
): Promise<SubscriptionFacts | undefined> {
  if (known.seen_at < seenAt) return facts;
  if (known.seen_at > seenAt) return undefined;
  return isSame(known, toRow(facts, known, null, seenAt)) ? undefined : resolveTie(known);
}

const isSame = (a: ProviderSubscription, b: ProviderSubscription): boolean =>
  a.status === b.status &&
  a.vehicle_count === b.vehicle_count &&
  a.cancel_at_period_end === b.cancel_at_period_end &&
  a.current_period_end?.getTime() === b.current_period_end?.getTime();

function toRow(
  facts: SubscriptionFacts,
  known: ProviderSubscription | undefined,
  user_id: number | null,
  seen_at: Date,
): ProviderSubscription {
  const { id, customer_id, status, cancel_at_period_end, started_at } = facts;
  return {
    ...{ id, customer_id, user_id, status, cancel_at_period_end, started_at, seen_at },
    vehicle_count: facts.vehicle_count ?? known?.vehicle_count ?? 1,
    current_period_end: facts.current_period_end ?? known?.current_period_end ?? null,
  };
}

/** The user whom our checkout wrote into the object, else the customer's. */
export async function resolveUser(
  trx: Db,
  customerId: string,
  namedUserId: number | null,
): Promise<number | null> {
  if (namedUserId !== null && (await linkCustomer(trx, customerId, namedUserId))) return namedUserId;
  return (await userOfCustomer(trx, customerId)) ?? null;
}
