import type { Knex } from "knex";

/**
 * Activation tokens of drones expire seven days after they were made, those of earlier releases seven days from now. A
 * trigger sets the date, also for a gateway of the release before.
 *
 * Extra recipients of reports confirm their address first. Those of earlier releases count as confirmed.
 *
 * A report that a quota refused says so.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE drones ADD COLUMN activation_expires_at timestamptz;
    UPDATE drones SET activation_expires_at = now() + interval '7 days' WHERE activation_token IS NOT NULL;
    CREATE FUNCTION set_activation_expiry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' OR NEW.activation_token IS DISTINCT FROM OLD.activation_token THEN
        NEW.activation_expires_at := CASE WHEN NEW.activation_token IS NOT NULL THEN now() + interval '7 days' END;
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER drones_activation_expiry BEFORE INSERT OR UPDATE OF activation_token ON drones
      FOR EACH ROW EXECUTE FUNCTION set_activation_expiry();

    CREATE TABLE report_addresses (
      user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
      email text NOT NULL,
      token text UNIQUE,
      expires_at timestamptz,
      confirmed_at timestamptz,
      PRIMARY KEY (user_id, email)
    );
    INSERT INTO report_addresses (user_id, email, confirmed_at)
      SELECT id, lower(trim(email)), now() FROM users, unnest(string_to_array(extra_emails, ',')) AS email
      WHERE trim(email) <> '' ON CONFLICT DO NOTHING;

    ALTER TABLE executions ADD COLUMN report_reason text, DROP CONSTRAINT executions_report_check,
      ADD CONSTRAINT executions_report_check CHECK (report IN ('none', 'pending', 'queued', 'sent', 'refused'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE executions SET report = 'none' WHERE report = 'refused';
    ALTER TABLE executions DROP COLUMN report_reason, DROP CONSTRAINT executions_report_check,
      ADD CONSTRAINT executions_report_check CHECK (report IN ('none', 'pending', 'queued', 'sent'));
    DROP TABLE report_addresses;
    DROP TRIGGER drones_activation_expiry ON drones;
    DROP FUNCTION set_activation_expiry;
    ALTER TABLE drones DROP COLUMN activation_expires_at;
  `);
}
