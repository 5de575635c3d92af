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

/**
 * How to settle two different sightings of one second, of which none can be said to be the newer:
 * `ask`: by asking the provider, so the caller is told with `Tie`;
 * `guess`: what ended stays ended, and a creation comes before anything else;
 * `take`: this one has been asked for.
 */
export type TieRule = "ask" | "guess" | "take";

/** Thrown, so that the transaction leaves nothing, before the provider is asked. */
export class Tie extends Error {
  constructor(readonly subscriptionId: string) {
    super(`Two sightings of subscription ${subscriptionId} are of one second.`);
  }
}

const ended = (status: string) => status === "canceled" || status === "incomplete_expired";

/** Keep what was seen of a subscription, unless something newer is known, and give its user what follows. */
export async function keepSighting(
  trx: Db,
  facts: SubscriptionFacts,
  seenAt: Date,
  rule: TieRule,
  isCreation = false,
): Promise<void> {
  const known = await findProviderSubscription(trx, facts.id);
  const userId = (await userOf(trx, facts.customer_id, facts.userId)) ?? known?.user_id ?? null;
  const row = rowOf(facts, known, userId, seenAt);
  if (known && isOlder(known, row, seenAt, rule, isCreation)) {
    if (facts.current_period_end) await fillPeriodEnd(trx, facts.id, facts.current_period_end);
  } else {
    await putProviderSubscription(trx, row);
  }
  if (userId !== null) await deriveSubscription(trx, userId);
}

function isOlder(
  known: ProviderSubscription,
  row: ProviderSubscription,
  seenAt: Date,
  rule: TieRule,
  isCreation: boolean,
): boolean {
  // Not the row's own time, which is never before what is known.
  if (rule === "take" || known.seen_at < seenAt) return false;
  if (known.seen_at > seenAt) return true;
  if (sameTerms(known, row)) return false;
  if (rule === "ask") throw new Tie(row.id);
  return ended(known.status) || isCreation;
}

const sameTerms = (a: ProviderSubscription, b: ProviderSubscription): boolean =>
  a.status === b.status &&
  a.vehicle_count === b.vehicle_count &&
  a.cancel_at_period_end === b.cancel_at_period_end &&
  a.current_period_end?.getTime() === b.current_period_end?.getTime();

function rowOf(
  facts: SubscriptionFacts,
  known: ProviderSubscription | undefined,
  user_id: number | null,
  seenAt: Date,
): ProviderSubscription {
  const { id, customer_id, status, cancel_at_period_end, started_at } = facts;
  return {
    ...{ id, customer_id, user_id, status, cancel_at_period_end, started_at },
    vehicle_count: facts.vehicle_count ?? known?.vehicle_count ?? 1,
    current_period_end: facts.current_period_end ?? known?.current_period_end ?? null,
    seen_at: known && known.seen_at > seenAt ? known.seen_at : seenAt,
  };
}

/** Whose it is: the user whom our checkout wrote into it, else the customer's. */
export async function userOf(trx: Db, customerId: string, named: number | null): Promise<number | null> {
  if (named !== null && (await linkCustomer(trx, customerId, named))) return named;
  return (await userOfCustomer(trx, customerId)) ?? null;
}
