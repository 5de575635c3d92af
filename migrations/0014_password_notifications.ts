import type { Knex } from "knex";

const trigger = (columns: readonly string[]) => `
  DROP TRIGGER users_notify_change ON users;
  CREATE TRIGGER users_notify_change AFTER UPDATE ON users
    FOR EACH ROW
    WHEN ((${columns.map((column) => `OLD.${column}`)}) IS DISTINCT FROM (${columns.map((column) => `NEW.${column}`)}))
    EXECUTE FUNCTION notify_fleet_change();
`;

const before = ["ip", "vpn_key_id", "is_active"];

/** Tell of a new password too: sessions that were opened before it end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(trigger([...before, "password_changed_at"]));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(trigger(before));
}
