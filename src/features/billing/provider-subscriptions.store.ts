import type { Db } from "../../platform/postgres/db";
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

/** A change of the vehicle count that the provider was asked for. */
export interface CountChange {
  readonly id: string;
  /** It names the change. */
  readonly until: Date;
}

/**
 * Longer than the provider is asked, all tries included, and its news is awaited. One whose answer was lost counts
 * until then.
 */
const CHANGE_LIMIT = "2 minutes";

/** Undefined when another change of this subscription is under way. */
export async function beginCountChange(db: Db, id: string, to: number): Promise<CountChange | undefined> {
  const [begun] = await table(db)
    .where({ id })
    .whereRaw("coalesce(changing_until <= now(), true)")
    .update({
      changing_to: to,
      // As a Date tells it.
      changing_until: db.raw("date_trunc('milliseconds', now() + ?::interval)", [CHANGE_LIMIT]),
    } as never)
    .returning(["id", "changing_until as until"]);
  return begun as CountChange | undefined;
}

export const endCountChange = async (db: Db, { id, until }: CountChange): Promise<void> =>
  void (await db("provider_subscriptions")
    .where({ id, changing_until: until })
    .update({ changing_to: null, changing_until: null }));

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
