import type { Knex } from "knex";

/**
 * Tell the channel `fleet_changes` of every change by which peers, firewall pairs or open sessions may have to
 * change: `{"table": "users" | "drones", "op": "insert" | "update" | "delete", "id": integer}`.
 *
 * The payload names the row and nothing of it: a listener reads the row, so it never acts on a stale copy, the
 * payload stays far below the 8000 bytes that NOTIFY takes, and Postgres merges equal ones of a transaction.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION notify_fleet_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('fleet_changes', json_build_object(
        'table', TG_TABLE_NAME, 'op', lower(TG_OP), 'id', coalesce(NEW.id, OLD.id))::text);
      RETURN NULL;
    END $$;

    CREATE TRIGGER users_notify_rows AFTER INSERT OR DELETE ON users
      FOR EACH ROW EXECUTE FUNCTION notify_fleet_change();
    CREATE TRIGGER users_notify_change AFTER UPDATE ON users
      FOR EACH ROW
      WHEN ((OLD.ip, OLD.vpn_key_id, OLD.is_active) IS DISTINCT FROM (NEW.ip, NEW.vpn_key_id, NEW.is_active))
      EXECUTE FUNCTION notify_fleet_change();

    CREATE TRIGGER drones_notify_rows AFTER INSERT OR DELETE ON drones
      FOR EACH ROW EXECUTE FUNCTION notify_fleet_change();
    CREATE TRIGGER drones_notify_change AFTER UPDATE ON drones
      FOR EACH ROW
      WHEN ((OLD.ip, OLD.user_id, OLD.deleted_at, OLD.vpn_key_id, OLD.port, OLD.type, OLD.link_host)
        IS DISTINCT FROM
        (NEW.ip, NEW.user_id, NEW.deleted_at, NEW.vpn_key_id, NEW.port, NEW.type, NEW.link_host))
      EXECUTE FUNCTION notify_fleet_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER users_notify_rows ON users;
    DROP TRIGGER users_notify_change ON users;
    DROP TRIGGER drones_notify_rows ON drones;
    DROP TRIGGER drones_notify_change ON drones;
    DROP FUNCTION notify_fleet_change();
  `);
}
