import type { Knex } from "knex";

/**
 * users, the addresses of both planes, and subscriptions.
 *
 * vpn_addresses holds every address that was ever given out. `released_at` is null while a live row has it;
 * triggers on users and drones set it, so that no code path can forget to.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE vpn_addresses (
      ip inet PRIMARY KEY,
      range text NOT NULL CHECK (range IN ('users', 'drones', 'simulated')),
      released_at timestamptz
    );
    CREATE INDEX vpn_addresses_free ON vpn_addresses (range, ip) WHERE released_at IS NOT NULL;

    CREATE TABLE users (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      username text NOT NULL,
      password_hash text,
      password_changed_at timestamptz NOT NULL DEFAULT now(),
      level text CHECK (level IN ('ADMIN', 'CUSTOMER')),
      is_active boolean NOT NULL DEFAULT false,
      activation_token text,
      ip inet UNIQUE REFERENCES vpn_addresses (ip),
      vpn_key_id uuid NOT NULL DEFAULT gen_random_uuid(),
      extra_emails text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX users_username ON users (lower(username));

    CREATE TABLE subscriptions (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('incomplete', 'incomplete_expired', 'trialing', 'active',
        'past_due', 'canceled', 'unpaid', 'paused')),
      vehicle_count integer NOT NULL CHECK (vehicle_count >= 1),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE FUNCTION release_vpn_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.ip IS NOT NULL THEN
        UPDATE vpn_addresses SET released_at = now() WHERE ip = OLD.ip AND released_at IS NULL;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER users_release_address_on_delete AFTER DELETE ON users
      FOR EACH ROW EXECUTE FUNCTION release_vpn_address();
    CREATE TRIGGER users_release_address_on_change AFTER UPDATE OF ip ON users
      FOR EACH ROW WHEN (OLD.ip IS DISTINCT FROM NEW.ip) EXECUTE FUNCTION release_vpn_address();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE subscriptions;
    DROP TABLE users;
    DROP FUNCTION release_vpn_address();
    DROP TABLE vpn_addresses;
  `);
}
