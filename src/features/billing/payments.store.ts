import type { Db } from "../../platform/postgres/db";
import type { RowOf } from "../../platform/postgres/row-of";
import { PaymentReply } from "./billing.schema";

/** An invoice that was paid, or whose payment failed. */
interface Payment extends ShownPayment {
  readonly user_id: number | null;
  readonly customer_id: string;
  readonly provider_subscription_id: string | null;
}

/** What a user sees of it. */
export type ShownPayment = RowOf<typeof PaymentReply>;

const shownColumns = Object.keys(PaymentReply.shape) as (keyof ShownPayment)[];

const table = (db: Db) => db<Payment>("payments");

/** A user's payments, newest first. */
export const paymentsOf = async (db: Db, userId: number, limit: number): Promise<ShownPayment[]> =>
  table(db)
    .where({ user_id: userId })
    .orderBy([
      { column: "paid_at", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(limit)
    .select(shownColumns);

/**
 * Stores one row for an invoice and its payment intent, however many events name them in whatever order. A paid row stays
 * paid; a failed one becomes paid.
 */
export async function recordPayment(trx: Db, payment: Omit<Payment, "id">): Promise<void> {
  const inserted = await table(trx).insert(payment).onConflict().ignore().returning("id");
  if (inserted.length > 0 || payment.status !== "paid") return;
  const { invoice_id, payment_intent_id, ...news } = payment;
  const known = payment_intent_id && (await table(trx).where({ payment_intent_id }).first("invoice_id"));
  if (known && known.invoice_id !== invoice_id) return;
  await table(trx)
    .where({ invoice_id, status: "failed" })
    .update({ ...news, ...(payment_intent_id ? { payment_intent_id } : {}) });
}

/** Stores an event. Waits for a transaction that is storing it, and returns false when it was stored before. */
export const storePaymentEvent = async (
  trx: Db,
  event: { id: string; type: string; created: Date },
): Promise<boolean> =>
  (
    await trx("payment_events")
      .insert({ id: event.id, type: event.type, created_at: event.created })
      .onConflict("id")
      .ignore()
      .returning("id")
  ).length > 0;
