import type { Db } from "../../platform/postgres/db";

/** The user of a customer of the payment provider. */
export const userOfCustomer = async (db: Db, customerId: string): Promise<number | undefined> =>
  (await db("billing_customers").where({ customer_id: customerId }).first("user_id"))?.user_id;

/** A user's customer id at the provider, the newest of several. */
export const customerOfUser = async (db: Db, userId: number): Promise<string | undefined> =>
  (await db("billing_customers").where({ user_id: userId }).orderBy("linked_at", "desc").first("customer_id"))
    ?.customer_id;

/**
 * Links a customer to a user, with the subscriptions and payments that came before. The first link of a customer stays.
 * Returns false when there is no such user.
 */
export async function linkCustomer(trx: Db, customerId: string, userId: number): Promise<boolean> {
  const user = await trx("users").where({ id: userId }).forKeyShare().first("id");
  if (!user) return false;
  await trx("billing_customers")
    .insert({ customer_id: customerId, user_id: userId })
    .onConflict("customer_id")
    .ignore();
  for (const table of ["provider_subscriptions", "payments"]) {
    await trx(table).where({ customer_id: customerId, user_id: null }).update({ user_id: userId });
  }
  return true;
}

/** A user's last checkout, until it is completed. */
export const findOpenCheckout = async (db: Db, userId: number): Promise<string | undefined> =>
  (await db("open_checkouts").where({ user_id: userId }).first("session_id"))?.session_id;

/** Stores a user's last checkout. Returns the one that it replaces. */
export const replaceOpenCheckout = (db: Db, userId: number, sessionId: string): Promise<string | undefined> =>
  db.transaction(async (trx) => {
    // Concurrent checkouts each return the one before.
    await trx("users").where({ id: userId }).forNoKeyUpdate().first("id");
    const earlier = await findOpenCheckout(trx, userId);
    await trx("open_checkouts")
      .insert({ user_id: userId, session_id: sessionId })
      .onConflict("user_id")
      .merge();
    return earlier;
  });

export const removeOpenCheckout = async (db: Db, sessionId: string): Promise<void> =>
  void (await db("open_checkouts").where({ session_id: sessionId }).delete());
