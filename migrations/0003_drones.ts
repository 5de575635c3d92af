import type { Knex } from "knex";

/**
 * Drones, the commands they were given and the plans they were found to hold.
 *
 * A deleted drone's row stays, for its executions and assets; `deleted_at` takes it out of everything live:
 * its address and tokens are free, its mission is unlinked.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE drones (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name text NOT NULL,
      type text NOT NULL CHECK (type IN ('physical', 'sitl')),
      vehicle_type text NOT NULL CHECK (vehicle_type IN ('copter', 'rover')),
      mission_id integer REFERENCES missions (id),
      ip inet REFERENCES vpn_addresses (ip),
      port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
      link text NOT NULL DEFAULT 'mavlink' CHECK (link IN ('mavlink', 'rosbridge')),
      link_host text,
      activation_token text,
      video_room_token text,
      vpn_key_id uuid NOT NULL DEFAULT gen_random_uuid(),
      deleted_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX drones_of_user ON drones (user_id) WHERE deleted_at IS NULL;
    CREATE INDEX drones_of_mission ON drones (mission_id);
    CREATE UNIQUE INDEX drones_live_ip ON drones (ip) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX drones_activation_token ON drones (activation_token);

    CREATE TRIGGER drones_release_address_on_delete AFTER DELETE ON drones
      FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION release_vpn_address();
    CREATE TRIGGER drones_release_address_on_change AFTER UPDATE OF ip, deleted_at ON drones
      FOR EACH ROW
      WHEN (OLD.deleted_at IS NULL AND (NEW.deleted_at IS NOT NULL OR OLD.ip IS DISTINCT FROM NEW.ip))
      EXECUTE FUNCTION release_vpn_address();

    CREATE TABLE drone_commands (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      user_id integer REFERENCES users (id) ON DELETE SET NULL,
      command text NOT NULL,
      parameters jsonb NOT NULL DEFAULT '{}',
      outcome text NOT NULL DEFAULT 'pending' CHECK (outcome IN ('pending', 'accepted', 'failed')),
      result jsonb,
      error text,
      requested_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz
    );
    CREATE INDEX drone_commands_of_drone ON drone_commands (drone_id, requested_at);

    CREATE TABLE verified_plans (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      drone_id integer NOT NULL REFERENCES drones (id) ON DELETE CASCADE,
      mission_id integer REFERENCES missions (id) ON DELETE SET NULL,
      hash text NOT NULL,
      items jsonb NOT NULL,
      verified_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX verified_plans_newest ON verified_plans (drone_id, verified_at DESC);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE verified_plans;
    DROP TABLE drone_commands;
    DROP TABLE drones;
  `);
}
