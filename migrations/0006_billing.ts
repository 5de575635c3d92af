import type { Knex } from "knex";

/**
 * Records of the payment provider's events.
 *
 * `subscriptions` stays what the vehicle gate reads: one row for each user. One that the provider sells is
 * derived from `provider_subscriptions`, which keeps every subscription by the provider's id, also while its
 * user is not known yet. `seen_at` is the provider's time of the newest news about a row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE subscriptions
      ADD COLUMN provider_id text,
      ADD COLUMN cancel_at_period_end boolean NOT NULL DEFAULT false,
      ADD COLUMN current_period_end timestamptz;

    CREATE TABLE billing_customers (
      customer_id text PRIMARY KEY,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      linked_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX billing_customers_of_user ON billing_customers (user_id, linked_at DESC);

    CREATE TABLE open_checkouts (
      user_id integer PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      session_id text NOT NULL
    );

    CREATE TABLE provider_subscriptions (
      id text PRIMARY KEY,
      customer_id text NOT NULL,
      user_id integer REFERENCES users (id) ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('incomplete', 'incomplete_expired', 'trialing', 'active',
        'past_due', 'canceled', 'unpaid', 'paused')),
      vehicle_count integer NOT NULL CHECK (vehicle_count >= 1),
      cancel_at_period_end boolean NOT NULL DEFAULT false,
      current_period_end timestamptz,
      started_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL
    );
    CREATE INDEX provider_subscriptions_of_user ON provider_subscriptions (user_id);
    CREATE INDEX provider_subscriptions_of_customer ON provider_subscriptions (customer_id);

    CREATE TABLE payments (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer REFERENCES users (id) ON DELETE CASCADE,
      customer_id text NOT NULL,
      invoice_id text NOT NULL UNIQUE,
      payment_intent_id text UNIQUE,
      provider_subscription_id text,
      status text NOT NULL CHECK (status IN ('paid', 'failed')),
      amount bigint NOT NULL,
      currency text NOT NULL,
      invoice_url text,
      paid_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX payments_of_user ON payments (user_id, paid_at DESC, id DESC);
    CREATE INDEX payments_of_customer ON payments (customer_id);

    CREATE TABLE payment_events (
      id text PRIMARY KEY,
      type text NOT NULL,
      created_at timestamptz NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE payment_events;
    DROP TABLE payments;
    DROP TABLE provider_subscriptions;
    DROP TABLE open_checkouts;
    DROP TABLE billing_customers;
    ALTER TABLE subscriptions
      DROP COLUMN current_period_end,
      DROP COLUMN cancel_at_period_end,
      DROP COLUMN provider_id;
  `);
}
