import { DomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import { findUserByName } from "../accounts";
import { findSubscription, type Subscription, saveSubscription } from "./subscriptions.store";
import { isActive } from "./vehicle-gate";

/** Grants a user vehicles without a payment. Rejects when there is no such user, or one with a paid subscription. */
export async function grantSubscription(
  db: Db,
  username: string,
  vehicleCount: number,
): Promise<Subscription> {
  const { userId, current } = await grantee(db, username);
  if (current?.provider_id && isActive(current))
    throw new DomainError("billing_refused", `${username} has a subscription that is paid for.`);
  return saveSubscription(db, userId, { status: "active", vehicle_count: vehicleCount });
}

/** Ends a granted subscription. The user's vehicles stay; more cannot be added. */
export async function revokeSubscription(db: Db, username: string): Promise<Subscription> {
  const { userId, current } = await grantee(db, username);
  if (!current || current.provider_id !== null)
    throw new DomainError("billing_refused", `${username} has no granted subscription.`);
  return saveSubscription(db, userId, { status: "canceled", vehicle_count: current.vehicle_count });
}

async function grantee(db: Db, username: string) {
  const user = await findUserByName(db, username);
  if (!user) throw new DomainError("not_found", `There is no user ${username}.`);
  return { userId: user.id, current: await findSubscription(db, user.id) };
}
