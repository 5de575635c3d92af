import type { Db } from "../../platform/db";
import type { Entitlement, SubscriptionStatus } from "./vehicle-gate";

/** A row of `subscriptions`: a user has one at most. */
export interface Subscription extends Entitlement {
  readonly id: number;
  readonly user_id: number;
  readonly status: SubscriptionStatus;
  readonly vehicle_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns: (keyof Subscription)[] = [
  "id",
  "user_id",
  "status",
  "vehicle_count",
  "created_at",
  "updated_at",
];

export const findSubscription = async (db: Db, userId: number): Promise<Subscription | undefined> =>
  db<Subscription>("subscriptions").where({ user_id: userId }).first(columns);

/** Give a user this subscription, in place of the one they had. */
export const saveSubscription = async (
  db: Db,
  userId: number,
  { status, vehicle_count }: Entitlement,
): Promise<Subscription> =>
  (
    await db<Subscription>("subscriptions")
      .insert({ user_id: userId, status, vehicle_count })
      .onConflict("user_id")
      .merge({ status, vehicle_count, updated_at: db.fn.now() as never })
      .returning(columns)
  )[0] as Subscription;
