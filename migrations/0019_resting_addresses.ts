import type { Knex } from "knex";

/** The user whose drone released an address: the user's own resting addresses are given to the user again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE vpn_addresses ADD COLUMN released_by integer;
    CREATE INDEX vpn_addresses_resting ON vpn_addresses (released_by, released_at) WHERE released_at IS NOT NULL;

    CREATE OR REPLACE FUNCTION release_vpn_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.ip IS NOT NULL THEN
        -- A row of users has no user_id.
        UPDATE vpn_addresses SET released_at = now(), released_by = (to_jsonb(OLD) ->> 'user_id')::integer
          WHERE ip = OLD.ip AND released_at IS NULL;
      END IF;
      RETURN NULL;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION release_vpn_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.ip IS NOT NULL THEN
        UPDATE vpn_addresses SET released_at = now() WHERE ip = OLD.ip AND released_at IS NULL;
      END IF;
      RETURN NULL;
    END $$;
    ALTER TABLE vpn_addresses DROP COLUMN released_by;
  `);
}
