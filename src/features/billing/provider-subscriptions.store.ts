import type { Db } from "../../platform/db";
import { saveTerms, type Terms } from "./subscriptions.store";
import { isActive, type SubscriptionStatus } from "./vehicle-gate";

/** A subscription as the payment provider showed it at one time. */
export interface ProviderSubscription {
  /** The provider's id. */
  readonly id: string;
  readonly customer_id: string;
  /** Null while nobody knows whose it is. */
  readonly user_id: number | null;
  readonly status: SubscriptionStatus;
  readonly vehicle_count: number;
  readonly cancel_at_period_end: boolean;
  readonly current_period_end: Date | null;
  readonly started_at: Date;
  /** When it was so, by the provider's clock, which counts whole seconds. */
  readonly seen_at: Date;
}

const table = (db: Db) => db<ProviderSubscription>("provider_subscriptions");

/**
 * Whoever changes what belongs to a customer does so alone until the transaction ends: news about one
 * customer comes at once and in any order.
 */
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

/** What older news may still add: where the period ends. */
export const fillPeriodEnd = async (db: Db, id: string, end: Date): Promise<void> =>
  void (await table(db).where({ id }).whereNull("current_period_end").update({ current_period_end: end }));

/** Hold a user's row until the transaction ends, as the vehicle gate does. Returns whether there is such a user. */
export const holdUser = async (trx: Db, userId: number): Promise<boolean> =>
  (await trx("users").where({ id: userId }).forNoKeyUpdate().first("id")) !== undefined;

/** Another vehicle count, here and in what its user may do, unless news has changed it meanwhile. */
export const recount = (db: Db, id: string, { from, to }: { from: number; to: number }): Promise<void> =>
  db.transaction(async (trx) => {
    const sold = await findProviderSubscription(trx, id);
    if (!sold) return;
    await lockCustomer(trx, sold.customer_id);
    const changed = await table(trx).where({ id, vehicle_count: from }).update({ vehicle_count: to });
    if (changed > 0 && sold.user_id !== null) await deriveSubscription(trx, sold.user_id);
  });

/**
 * Give the user the best of what they bought: one that is active, else the newest. A subscription that the
 * operator granted gives way only to one that is active. Holds the user's row, as the vehicle gate does.
 */
export async function deriveSubscription(trx: Db, userId: number): Promise<void> {
  if (!(await holdUser(trx, userId))) return;
  const best: ProviderSubscription | undefined = await table(trx)
    .where({ user_id: userId })
    .orderByRaw("status in ('active', 'trialing') desc, started_at desc, id desc")
    .first();
  if (!best) return;
  const current: Pick<Terms, "status" | "provider_id"> | undefined = await trx("subscriptions")
    .where({ user_id: userId })
    .first("status", "provider_id");
  const granted = current && current.provider_id === null && isActive(current);
  if (granted && !isActive(best)) return;
  const { id, status, vehicle_count, cancel_at_period_end, current_period_end } = best;
  await saveTerms(trx, userId, {
    status,
    vehicle_count,
    provider_id: id,
    cancel_at_period_end,
    current_period_end,
  });
}
