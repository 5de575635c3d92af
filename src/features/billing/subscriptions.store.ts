import type { Db } from "../../platform/postgres/db";
import type { Entitlement, SubscriptionStatus } from "./vehicle-gate";

/** A row of `subscriptions`: a user has one at most. */
export interface Subscription extends Entitlement {
  readonly id: number;
  readonly user_id: number;
  readonly status: SubscriptionStatus;
  readonly vehicle_count: number;
  /** The payment provider's id; null for one that the operator granted. */
  readonly provider_id: string | null;
  readonly cancel_at_period_end: boolean;
  readonly current_period_end: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What a grant or the payment provider sets. */
export type SubscriptionUpdate = Pick<
  Subscription,
  "status" | "vehicle_count" | "provider_id" | "cancel_at_period_end" | "current_period_end"
>;

const columns: (keyof Subscription)[] = [
  "id",
  "user_id",
  "status",
  "vehicle_count",
  "provider_id",
  "cancel_at_period_end",
  "current_period_end",
  "created_at",
  "updated_at",
];

export const findSubscription = async (db: Db, userId: number): Promise<Subscription | undefined> =>
  db<Subscription>("subscriptions").where({ user_id: userId }).first(columns);

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
      .returning(columns)
  )[0] as Subscription;

export const findUserIdByName = async (db: Db, username: string): Promise<number | undefined> =>
  (await db("users").whereRaw("lower(username) = lower(?)", [username]).first("id"))?.id;
