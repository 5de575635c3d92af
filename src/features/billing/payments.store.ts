import type { Db } from "../../platform/postgres/db";

/** An invoice that was paid, or whose payment failed. */
export interface Payment {
  readonly id: number;
  readonly user_id: number | null;
  readonly customer_id: string;
  readonly invoice_id: string;
  /** Null for an invoice without a payment, or where the provider does not name it. */
  readonly payment_intent_id: string | null;
  readonly provider_subscription_id: string | null;
  readonly status: "paid" | "failed";
  /** Minor units of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly invoice_url: string | null;
  readonly paid_at: Date;
}

const columns: (keyof Payment)[] = [
  "id",
  "user_id",
  "customer_id",
  "invoice_id",
  "payment_intent_id",
  "provider_subscription_id",
  "status",
  "amount",
  "currency",
  "invoice_url",
  "paid_at",
];

const table = (db: Db) => db<Payment>("payments");

/** A user's payments, newest first. */
export const paymentsOf = async (db: Db, userId: number, limit: number): Promise<Payment[]> =>
  table(db)
    .where({ user_id: userId })
    .orderBy([
      { column: "paid_at", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(limit)
    .select(columns);

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
