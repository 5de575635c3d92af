import type { Db } from "../../platform/postgres/db";

/** Whose a customer of the payment provider is. */
export const userOfCustomer = async (db: Db, customerId: string): Promise<number | undefined> =>
  (await db("billing_customers").where({ customer_id: customerId }).first("user_id"))?.user_id;

/** The provider's name for a user, the newest when there are several. */
export const customerOfUser = async (db: Db, userId: number): Promise<string | undefined> =>
  (await db("billing_customers").where({ user_id: userId }).orderBy("linked_at", "desc").first("customer_id"))
    ?.customer_id;

/** A user's email, which is their name here. */
export const emailOf = async (db: Db, userId: number): Promise<string | undefined> =>
  (await db("users").where({ id: userId }).first("username"))?.username;

/**
 * A customer turned out to be this user: what came before that is the user's as well. Returns false when
 * there is no such user; nothing is linked then. The first link stays.
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

/** The checkout that a user began last and has not finished. */
export const findOpenCheckout = async (db: Db, userId: number): Promise<string | undefined> =>
  (await db("open_checkouts").where({ user_id: userId }).first("session_id"))?.session_id;

/** Keep the checkout that a user began last. Returns the one that it takes the place of. */
export const replaceOpenCheckout = (db: Db, userId: number, sessionId: string): Promise<string | undefined> =>
  db.transaction(async (trx) => {
    // Of several at once each finds the one before it.
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
