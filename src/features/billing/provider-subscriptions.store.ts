import type { Db } from "../../platform/postgres/db";
import type { SubscriptionFacts } from "./provider-events";
import { type SubscriptionUpdate, upsertSubscription } from "./subscriptions.store";
import { isActive } from "./vehicle-gate";

/** The newest snapshot of a subscription at the payment provider. */
export interface ProviderSubscription extends Omit<SubscriptionFacts, "userId" | "itemId"> {
  /** Null while the customer's user is unknown. */
  readonly user_id: number | null;
  readonly vehicle_count: number;
  /** Time of the snapshot by the provider's clock, in whole seconds. */
  readonly seen_at: Date;
}

const table = (db: Db) => db<ProviderSubscription>("provider_subscriptions");

/** Serialises changes of what belongs to a customer until the transaction ends: its events come at once. */
export const lockCustomer = async (trx: Db, customerId: string): Promise<void> =>
  void (await trx.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`customer ${customerId}`]));

export const findProviderSubscription = async (
  db: Db,
  id: string,
): Promise<ProviderSubscription | undefined> => table(db).where({ id }).first();

export const putProviderSubscription = async (db: Db, row: ProviderSubscription): Promise<void> => {
  const { id: _, user_id, ...rest } = row;
  await table(db)
    .insert(row)
    .onConflict("id")
    .merge({ ...rest, ...(user_id === null ? {} : { user_id }) });
};

/** An older snapshot may still add the end of the period. */
export const fillPeriodEnd = async (db: Db, id: string, end: Date): Promise<void> =>
  void (await table(db).where({ id }).whereNull("current_period_end").update({ current_period_end: end }));

/**
 * Sets the user's subscription to the best they bought: an active one, else the newest. A subscription that the operator
 * granted is replaced only by an active one. Locks the user's row, as the vehicle gate does.
 */
export async function deriveSubscription(trx: Db, userId: number): Promise<void> {
  const user = await trx("users").where({ id: userId }).forNoKeyUpdate().first("id");
  if (!user) return;
  const best: ProviderSubscription | undefined = await table(trx)
    .where({ user_id: userId })
    .orderByRaw("status in ('active', 'trialing') desc, started_at desc, id desc")
    .first();
  if (!best) return;
  const current: Pick<SubscriptionUpdate, "status" | "provider_id"> | undefined = await trx("subscriptions")
    .where({ user_id: userId })
    .first("status", "provider_id");
  const granted = current && current.provider_id === null && isActive(current);
  if (granted && !isActive(best)) return;
  const { id, status, vehicle_count, cancel_at_period_end, current_period_end } = best;
  await upsertSubscription(trx, userId, {
    status,
    vehicle_count,
    provider_id: id,
    cancel_at_period_end,
    current_period_end,
  });
}
