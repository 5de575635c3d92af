import type { Knex } from "knex";

/**
 * A vehicle count that the payment provider was asked for and has not told of yet. Until it has, or the time is over,
 * no other is asked for, and a lower one is the limit for new vehicles. Not used since 0.2, and kept for a rollback to 0.1.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    ALTER TABLE provider_subscriptions
      ADD COLUMN changing_to integer,
      ADD COLUMN changing_until timestamptz,
      ADD CONSTRAINT provider_subscriptions_changing_check
        CHECK ((changing_to IS NULL) = (changing_until IS NULL))`);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    ALTER TABLE provider_subscriptions
      DROP CONSTRAINT provider_subscriptions_changing_check,
      DROP COLUMN changing_until,
      DROP COLUMN changing_to`);
}
