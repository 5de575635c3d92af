import type { Db } from "../../platform/postgres/db";
import type { Subscription } from "./billing.schema";
import type { Entitlement } from "./vehicle-gate";

export type { Subscription };

/** What a grant or the payment provider sets. */
export type SubscriptionUpdate = Pick<
  Subscription,
  "status" | "vehicle_count" | "provider_id" | "cancel_at_period_end" | "current_period_end"
>;

export const findSubscription = async (db: Db, userId: number): Promise<Subscription | undefined> =>
  db<Subscription>("subscriptions").where({ user_id: userId }).first();

/** Grants a user this subscription, in place of the one before. */
export const saveSubscription = (
  db: Db,
  userId: number,
  { status, vehicle_count }: Entitlement,
): Promise<Subscription> =>
  upsertSubscription(db, userId, {
    status,
    vehicle_count,
    provider_id: null,
    cancel_at_period_end: false,
    current_period_end: null,
  });

/** Sets a user's subscription, in place of the one before. */
export const upsertSubscription = async (
  db: Db,
  userId: number,
  fields: SubscriptionUpdate,
): Promise<Subscription> =>
  (
    await db<Subscription>("subscriptions")
      .insert({ user_id: userId, ...fields })
      .onConflict("user_id")
      .merge({ ...fields, updated_at: db.fn.now() as never })
      .returning("*")
  )[0] as Subscription;
